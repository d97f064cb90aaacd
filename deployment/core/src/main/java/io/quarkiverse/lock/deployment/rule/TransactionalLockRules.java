package io.quarkiverse.lock.deployment.rule;

import java.util.function.Consumer;

import org.jboss.jandex.AnnotationValue;
import org.jboss.jandex.Type;

import io.quarkiverse.lock.deployment.method.LockedCandidate;
import io.quarkiverse.lock.runtime.method.ReturnKind;

/** What {@code @Locked} must not set for a lock that lives in a transaction. */
public final class TransactionalLockRules {

    private final LockedCandidate candidate;
    private final String otherwise;
    private final Consumer<String> problems;

    /** @param instead the setting that makes the backend's locks independent of transactions */
    TransactionalLockRules(LockedCandidate candidate, String instead, Consumer<String> problems) {
        this.candidate = candidate;
        this.otherwise = ", or set " + instead;
        this.problems = problems;
    }

    void check(ReturnKind returns, Type returned) {
        if (returns != ReturnKind.BLOCKING) {
            problems.accept("@Locked: the lock lives in the transaction of a thread, and so does not outlast a method that "
                    + "returns a " + returned + ": return the result itself, on a worker or virtual "
                    + "thread (@Blocking, @RunOnVirtualThread)" + otherwise);
        }
        String mode = text("mode");
        if (!mode.isEmpty() && !mode.equals("EXCLUSIVE")) {
            problems.accept("@Locked(mode = " + mode + "): a lock that lives in a transaction is exclusive: remove it"
                    + otherwise);
        }
        String limit = text("limit");
        if (!limit.isEmpty() && !limit.equals("0")) {
            problems.accept("@Locked(limit = " + limit + "): a lock that lives in a transaction has one holder: remove it"
                    + otherwise);
        }
        meaningless("lease", "the lock lives as long as the transaction, and is free at once when its holder dies");
        meaningless("renew", "there is no lease to renew");
        meaningless("maxHold", "limit the transaction instead, with @TransactionConfiguration(timeout) or "
                + "quarkus.transaction-manager.default-transaction-timeout");
        if (candidate.holdsAtLeast()) {
            meaningless("holdAtLeast", "the lock ends with the transaction");
        }
        if (candidate.lingers()) {
            meaningless("linger", "the lock ends with the transaction");
        }
        AnnotationValue names = candidate.locked().value();
        if (text("onBusy").equals("FALLBACK") && names != null && names.asStringArray().length > 1) {
            problems.accept(
                    "@Locked(onBusy = FALLBACK) with several names: those that were taken before the busy one are given "
                            + "back only when the transaction ends, so the fallback would run under them. Use one name, or FAIL"
                            + otherwise);
        }
        if (text("release").equals("ON_RETURN")) {
            problems.accept("@Locked(release = ON_RETURN): the lock ends with the transaction, not before: remove it"
                    + otherwise);
        }
    }

    private void meaningless(String member, String why) {
        String text = text(member);
        if (!text.isEmpty()) {
            problems.accept("@Locked(" + member + " = \"" + text + "\"): " + why + ": remove it" + otherwise);
        }
    }

    /** Empty if it is not set, and for an unknown member. */
    private String text(String member) {
        AnnotationValue value = candidate.locked().value(member);
        if (value == null) {
            return "";
        }
        return value.kind() == AnnotationValue.Kind.ENUM ? value.asEnum() : String.valueOf(value.value());
    }
}
