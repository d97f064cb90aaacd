package io.quarkiverse.lock.deployment.rule;

import java.util.Set;

import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.Locked.OnBusy;
import io.quarkiverse.lock.deployment.index.ClassChain;
import io.quarkiverse.lock.deployment.method.LockedMethodBuildItem;

/**
 * Warns about methods that receive the messages of a channel and do not run without their lock, if nobody acknowledges or
 * rejects the message then, or if a message that was not processed is acknowledged.
 */
public final class UnsettledMessages {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.lock");

    private static final Set<DotName> INCOMING = Set.of(
            DotName.createSimple("org.eclipse.microprofile.reactive.messaging.Incoming"),
            DotName.createSimple("io.smallrye.reactive.messaging.annotations.Incomings"));
    private static final DotName ACKNOWLEDGMENT = DotName
            .createSimple("org.eclipse.microprofile.reactive.messaging.Acknowledgment");
    private static final Set<String> MESSAGE = Set.of("org.eclipse.microprofile.reactive.messaging.Message");
    private static final Set<String> STREAM = Set.of("java.util.concurrent.Flow$Publisher", "org.reactivestreams.Publisher",
            "org.eclipse.microprofile.reactive.streams.operators.PublisherBuilder");

    private static final String OF_SKIPPED_PAYLOAD = "is skipped while its lock is busy or the application stops, and its message is "
            + "then acknowledged without having been processed. To reject it instead, remove onBusy = SKIP; if it is not "
            + "needed, say so with @Acknowledgment(POST_PROCESSING)";
    private static final String OF_STREAM = "returns a stream, so its message is acknowledged before it is called, and is lost if "
            + "its lock is busy. Return a Uni or a CompletionStage instead: the message is then acknowledged afterwards";

    private UnsettledMessages() {
    }

    /** Silent if the application has decided: who acknowledges, or what happens to a message whose lock is busy. */
    public static void warn(LockedMethodBuildItem locked, IndexView index) {
        MethodInfo method = locked.candidate().method();
        OnBusy onBusy = locked.definition().onBusy();
        if (onBusy == OnBusy.FALLBACK || INCOMING.stream().noneMatch(method::hasDeclaredAnnotation)
                || method.hasDeclaredAnnotation(ACKNOWLEDGMENT) || method.parametersCount() == 0
                || takes(STREAM, index, method)) {
            return;
        }
        String advice = takes(MESSAGE, index, method) ? ofMessage(onBusy) : ofPayload(index, method, onBusy);
        if (advice != null) {
            LOG.warnf("[%s] %s", locked.definition().description(), advice);
        }
    }

    private static @Nullable String ofPayload(IndexView index, MethodInfo method, OnBusy onBusy) {
        if (ClassChain.leadsToOneOf(index, method.returnType().name(), STREAM)) {
            return OF_STREAM;
        }
        return onBusy == OnBusy.SKIP ? OF_SKIPPED_PAYLOAD : null;
    }

    private static String ofMessage(OnBusy onBusy) {
        return "has to acknowledge its message itself, but does not run while its lock is busy: the message is then neither "
                + "acknowledged nor rejected"
                + (onBusy == OnBusy.SKIP
                        ? ". Set @Acknowledgment(POST_PROCESSING) instead of onBusy = SKIP, or reject the message in a fallback "
                                + "(@Locked(onBusy = FALLBACK)). With both, the message is acknowledged without having been "
                                + "processed"
                        : ", and the channel stops. Set @Acknowledgment(POST_PROCESSING), take the payload instead of the "
                                + "Message, or reject the message in a fallback (@Locked(onBusy = FALLBACK))");
    }

    private static boolean takes(Set<String> types, IndexView index, MethodInfo method) {
        return ClassChain.leadsToOneOf(index, method.parameterType(0).name(), types);
    }
}
