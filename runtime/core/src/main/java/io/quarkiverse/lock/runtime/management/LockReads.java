package io.quarkiverse.lock.runtime.management;

import java.util.List;
import java.util.Optional;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.spi.Feature;
import io.smallrye.mutiny.Uni;
import io.vertx.core.MultiMap;
import io.vertx.ext.web.MIMEHeader;
import io.vertx.ext.web.RoutingContext;

/** What operators see: open to anybody who can reach the management interface, unless configured otherwise. */
final class LockReads {

    private final Managers managers;
    private final LockPages pages;

    LockReads(Managers managers) {
        this.managers = managers;
        this.pages = new LockPages(managers);
    }

    /** A page of all locks. */
    Uni<Reply> list(RoutingContext request) {
        MultiMap sent = request.queryParams();
        String manager = managers.named(Parameters.optional(sent, "manager"));
        LockQuery query = query(sent);
        return managers.ask(manager, backend -> backend.features().contains(Feature.LIST), locks -> locks.listAsync(query))
                .map(page -> wantsPage(request)
                        ? Reply.html(pages.of(endsWithSlash(request) ? "" : "lock/", manager, query, page))
                        : Reply.json(LockJson.page(managers, manager, page)));
    }

    private static LockQuery query(MultiMap sent) {
        LockQuery query = LockQuery.ALL;
        String prefix = Parameters.optional(sent, "prefix");
        String pageSize = Parameters.optional(sent, "pageSize");
        if (prefix != null) {
            query = query.withPrefix(prefix);
        }
        if (pageSize != null) {
            query = query.withPageSize(number(pageSize));
        }
        return query.withContinuation(Parameters.text(sent, "continuation"));
    }

    private static int number(String pageSize) {
        try {
            return Integer.parseInt(pageSize);
        } catch (NumberFormatException e) {
            throw new RefusedException(400, "'pageSize' must be a number from 1 to " + LockQuery.MAX_PAGE_SIZE);
        }
    }

    /** One lock, whether or not anybody has it. */
    Uni<Reply> inspect(RoutingContext request) {
        MultiMap sent = request.queryParams();
        String manager = managers.named(Parameters.optional(sent, "manager"));
        String name = Parameters.needed(sent, "name", "?name=...");
        return managers.ask(manager, backend -> true, locks -> locks.inspectAsync(name))
                .map(found -> found.orElseGet(() -> new LockInfo(name, List.of(), 0)))
                .map(lock -> wantsPage(request)
                        ? Reply.html(pages.of(endsWithSlash(request) ? "../" : "", manager, LockQuery.ALL.withPrefix(name),
                                new LockQuery.Page(List.of(lock), Optional.empty())))
                        : Reply.json(LockJson.lock(lock, managers.waitingHere(manager, name)).put("manager", manager)));
    }

    private static boolean endsWithSlash(RoutingContext request) {
        return request.request().path().endsWith("/");
    }

    /** Whether the client prefers HTML, as browsers do; programs without a preference get JSON. */
    private static boolean wantsPage(RoutingContext request) {
        List<MIMEHeader> accepted = request.parsedHeaders().accept();
        if (accepted != null) {
            for (MIMEHeader type : accepted) { // the best first
                if (type.weight() > 0) { // this call also parses it
                    return "text".equals(type.component()) && "html".equals(type.subComponent());
                }
            }
        }
        return false;
    }
}
