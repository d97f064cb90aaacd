package io.quarkiverse.lock.deployment.rule;

import java.util.List;
import java.util.Map;

import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;
import org.jboss.jandex.Type;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.deployment.index.LaterTypes;
import io.quarkiverse.lock.deployment.index.LockDotNames;
import io.quarkiverse.lock.runtime.method.ReturnKind;
import io.quarkiverse.lock.runtime.method.SkipResult;

/** A method's return type decides how long its lock is held, and how the method reports that it was skipped. */
public final class ReturnTypeRules {

    private static final Map<DotName, SkipResult> EMPTY = Map.of(
            DotName.createSimple("java.util.Optional"), SkipResult.OPTIONAL,
            DotName.createSimple("java.util.OptionalInt"), SkipResult.OPTIONAL_INT,
            DotName.createSimple("java.util.OptionalLong"), SkipResult.OPTIONAL_LONG,
            DotName.createSimple("java.util.OptionalDouble"), SkipResult.OPTIONAL_DOUBLE);

    private ReturnTypeRules() {
    }

    static ReturnKind kind(Type returned) {
        DotName type = returned.name();
        if (type.equals(LockDotNames.UNI)) {
            return ReturnKind.UNI;
        }
        if (type.equals(LockDotNames.MULTI)) {
            return ReturnKind.MULTI;
        }
        return type.equals(LockDotNames.COMPLETION_STAGE) || type.equals(LockDotNames.COMPLETABLE_FUTURE)
                ? ReturnKind.COMPLETION_STAGE
                : ReturnKind.BLOCKING;
    }

    /**
     * The problem with the return type; {@code null} if there is none.
     *
     * @param returned the return type as seen from the bean
     * @param inTransaction whether the lock lives in a thread's transaction, and so cannot last until reactive work ends
     */
    static @Nullable String check(IndexView index, MethodInfo method, Type returned, boolean inTransaction) {
        List<Type> parameters = method.parameterTypes();
        if (!parameters.isEmpty() && parameters.get(parameters.size() - 1).name().equals(LockDotNames.CONTINUATION)) {
            return "@Locked does not hold the lock of a Kotlin suspend function while it is suspended: "
                    + (inTransaction ? "make it an ordinary function, on a worker or virtual thread (@Blocking, "
                            + "@RunOnVirtualThread)" : "make the function return a Uni or a Multi, or use LockManager inside");
        }
        Type later = kind(returned) == ReturnKind.BLOCKING ? LaterTypes.first(index, returned)
                : LaterTypes.firstInside(index, returned);
        if (later == null) {
            return null;
        }
        boolean inside = later != returned;
        return "@Locked does not hold the lock until " + (inside ? "the " + later + " in a " + returned : "a " + returned)
                + " ends: return " + instead(index, later, inside, inTransaction);
    }

    private static String instead(IndexView index, Type later, boolean inside, boolean inTransaction) {
        if (LaterTypes.stream(index, later.name())) {
            return "its result, as a List or an array, since streams and queries may run only later";
        }
        if (inTransaction) {
            return "the result itself, on a worker or virtual thread (@Blocking, @RunOnVirtualThread)";
        }
        if (LaterTypes.restMulti(index, later.name())) {
            return "a Multi, and set the status and the headers with @ResponseStatus and @ResponseHeader, or put @Locked on "
                    + "the method of another bean that makes the items";
        }
        return inside ? "the value itself, or a Uni, a Multi, a CompletionStage or a CompletableFuture of it"
                : "a value, a Uni, a Multi, a CompletionStage or a CompletableFuture";
    }

    static boolean canSkip(Type returned) {
        return returned.kind() != Type.Kind.PRIMITIVE;
    }

    static SkipResult skipResult(Type returned) {
        return EMPTY.getOrDefault(returned.name(), SkipResult.NULL);
    }
}
