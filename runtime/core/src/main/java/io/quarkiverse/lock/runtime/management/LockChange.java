package io.quarkiverse.lock.runtime.management;

import java.util.function.BiFunction;
import java.util.function.Predicate;

import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.text.PrintableName;
import io.quarkus.security.identity.SecurityIdentity;
import io.quarkus.vertx.http.runtime.security.QuarkusHttpUser;
import io.smallrye.mutiny.Uni;
import io.vertx.core.MultiMap;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.SocketAddress;
import io.vertx.ext.web.RoutingContext;

/** Changes by operators: only by those known to the management interface, and the log says who it was. */
final class LockChange {

    /** A page of another site can make a browser send a form along with the user's credentials, but not such a header. */
    static final String HEADER = "X-Quarkus-Lock";

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.lock");

    private final String action;
    private final BiFunction<LockManager, String, Uni<Boolean>> change;
    private final Predicate<LockBackend> can;
    private final Managers managers;

    /**
     * @param action the description in the log
     * @param change changes the lock of a name, and returns whether anybody held it
     * @param can whether a backend supports it
     */
    LockChange(String action, BiFunction<LockManager, String, Uni<Boolean>> change, Predicate<LockBackend> can,
            Managers managers) {
        this.action = action;
        this.change = change;
        this.can = can;
        this.managers = managers;
    }

    Uni<Reply> make(RoutingContext request) {
        if (!request.request().headers().contains(HEADER)) {
            throw new RefusedException(403, "Changes need the header " + HEADER + ", with any value");
        }
        return QuarkusHttpUser.getSecurityIdentity(request, null)
                .onFailure().recoverWithNull() // wrong credentials
                .chain(identity -> make(request, operator(identity)));
    }

    private static String operator(@Nullable SecurityIdentity identity) {
        if (identity == null || identity.isAnonymous()) {
            throw new RefusedException(403, "Changes need an authenticated user: send credentials, and make sure that the "
                    + "management interface asks for them (quarkus.management.auth)");
        }
        return identity.getPrincipal().getName();
    }

    private Uni<Reply> make(RoutingContext request, String operator) {
        MultiMap sent = request.request().formAttributes();
        String manager = managers.named(Parameters.optional(sent, "manager"));
        String name = Parameters.needed(sent, "name", "a field of a form (curl --data-urlencode name=...)");
        String asked = asked(operator, request.request().remoteAddress(), manager, name);
        return managers.ask(manager, can, locks -> Uni.createFrom().deferred(() -> change.apply(locks, name))
                // Even when it completes too late to be answered
                .onItem().invoke(held -> LOG.infof("Operator %s: %s", asked, held ? "it was held" : "nobody held it"))
                .onFailure().invoke(failure -> LOG.warnf("Operator %s: it failed: %s", asked,
                        PrintableName.oneLine(String.valueOf(failure.getMessage())))))
                .onFailure(RefusedException.class).invoke(late -> LOG.warnf("Operator %s: it may still be done: %s", asked,
                        late.getMessage()))
                .map(held -> Reply.json(new JsonObject().put("manager", manager).put("name", name).put("held", held)));
    }

    private String asked(String operator, @Nullable SocketAddress from, String manager, String name) {
        return "'" + PrintableName.of(operator) + "' at " + (from == null ? "?" : from.hostAddress()) + " " + action
                + " lock '" + PrintableName.of(name) + "' of manager '" + PrintableName.of(manager) + "'";
    }
}
