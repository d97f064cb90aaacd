package io.quarkiverse.lock.deployment.rule;

import java.util.List;
import java.util.Set;

import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;
import org.jboss.jandex.Type;
import org.jboss.logging.Logger;

import io.quarkiverse.lock.Locked.OnBusy;
import io.quarkiverse.lock.deployment.index.ClassChain;
import io.quarkiverse.lock.deployment.method.LockedMethodBuildItem;

/**
 * Warns about methods that take a {@code Message} of a channel, and by default have to acknowledge it themselves. Without its
 * lock such a method does not run, so nobody acknowledges or rejects the message.
 */
public final class UnsettledMessages {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.lock");

    private static final Set<DotName> INCOMING = Set.of(
            DotName.createSimple("org.eclipse.microprofile.reactive.messaging.Incoming"),
            DotName.createSimple("io.smallrye.reactive.messaging.annotations.Incomings"));
    private static final DotName ACKNOWLEDGMENT = DotName
            .createSimple("org.eclipse.microprofile.reactive.messaging.Acknowledgment");
    private static final Set<String> MESSAGE = Set.of("org.eclipse.microprofile.reactive.messaging.Message");

    private UnsettledMessages() {
    }

    /** Silent if the application has decided: who acknowledges, or what happens to a message whose lock is busy. */
    public static void warn(LockedMethodBuildItem locked, IndexView index) {
        MethodInfo method = locked.candidate().method();
        OnBusy onBusy = locked.definition().onBusy();
        if (onBusy != OnBusy.FALLBACK && INCOMING.stream().anyMatch(method::hasDeclaredAnnotation)
                && !method.hasDeclaredAnnotation(ACKNOWLEDGMENT) && takesMessage(index, method.parameterTypes())) {
            LOG.warnf(
                    "[%s] has to acknowledge its message itself, but does not run while its lock is busy: the message is then "
                            + "neither acknowledged nor rejected%s. Set @Acknowledgment(POST_PROCESSING), take the payload instead of "
                            + "the Message, or reject the message in a fallback (@Locked(onBusy = FALLBACK))",
                    locked.definition().description(),
                    onBusy == OnBusy.FAIL ? ", and the channel stops" : "");
        }
    }

    private static boolean takesMessage(IndexView index, List<Type> parameters) {
        return !parameters.isEmpty() && ClassChain.leadsToOneOf(index, parameters.get(0).name(), MESSAGE);
    }
}
