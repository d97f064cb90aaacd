package io.quarkiverse.lock.runtime.management;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.smallrye.mutiny.Uni;
import io.vertx.core.Context;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;

/**
 * One operation for operators. Nothing in it blocks: when all worker threads wait for locks, this is how an operator finds out.
 */
final class LockRoute implements Handler<RoutingContext> {

    private final Function<RoutingContext, Uni<Reply>> answers;
    private final List<HttpMethod> methods;

    LockRoute(Function<RoutingContext, Uni<Reply>> answers, HttpMethod... methods) {
        this.answers = answers;
        this.methods = List.of(methods);
    }

    @Override
    public void handle(RoutingContext request) {
        if (!methods.contains(request.request().method())) {
            String allowed = methods.stream().map(HttpMethod::name).collect(Collectors.joining(", "));
            request.response().putHeader(HttpHeaders.ALLOW, allowed);
            Reply.problem(405, "Only " + allowed + " can be used here").send(request);
            return;
        }
        Context context = request.vertx().getOrCreateContext();
        Uni.createFrom().deferred(() -> {
            refuseForeignPages(request.request());
            return answers.apply(request);
        })
                .emitOn(reply -> context.runOnContext(ignored -> reply.run()))
                .subscribe().with(reply -> reply.send(request), failure -> Reply.of(failure).send(request));
    }

    /**
     * The management interface tells browsers that any page may call it. This endpoint does not allow that: an operator's
     * browser can reach what the page's author cannot.
     */
    private static void refuseForeignPages(HttpServerRequest request) {
        String site = request.getHeader("Sec-Fetch-Site");
        if (site != null && !"same-origin".equals(site) && !"none".equals(site) && !isFollowedLink(request)) {
            throw new RefusedException(403, "A page of another site must not use this: open it in a tab of its own");
        }
        String origin = request.getHeader(HttpHeaders.ORIGIN);
        if (origin == null) {
            return; // not a browser, or a page that is opened and not called
        }
        int scheme = origin.indexOf("://");
        if (scheme < 0 || !origin.substring(scheme + 3).equalsIgnoreCase(String.valueOf(request.authority()))) {
            throw new RefusedException(403, "A page of another origin must not use this. Behind a proxy, let the management "
                    + "interface know its address (quarkus.management.proxy)");
        }
    }

    /** Whether somebody has clicked a link. The answer then replaces the linking page, which cannot see it. */
    private static boolean isFollowedLink(HttpServerRequest request) {
        return request.method() == HttpMethod.GET && "document".equals(request.getHeader("Sec-Fetch-Dest"))
                && "?1".equals(request.getHeader("Sec-Fetch-User"));
    }
}
