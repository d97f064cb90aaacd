package io.quarkiverse.lock.it.devui;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;

import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.vertx.ext.web.Router;

/** The application that the Dev UI shows: it pays orders, and holds and waits for the locks it is told to. */
@ApplicationScoped
public class Orders {

    @Inject
    LockManager locks;

    private final Map<String, LockHandle> held = new ConcurrentHashMap<>();

    @Locked(value = "order-{id}", id = "pay", waitFor = "0s")
    String pay(String id) {
        return "paid";
    }

    @Locked("report")
    String report() {
        return "reported";
    }

    void routes(@Observes Router router) {
        router.get("/pay/:id").blockingHandler(request -> {
            try {
                request.end(pay(request.pathParam("id")));
            } catch (LockBusyException e) {
                request.end("busy");
            }
        });
        router.get("/hold/:name").blockingHandler(request -> {
            String name = request.pathParam("name");
            held.put(name, locks.lock(name).acquire());
            request.end(report());
        });
        router.get("/hold-many/:count").blockingHandler(request -> {
            for (int i = 0; i < Integer.parseInt(request.pathParam("count")); i++) {
                String name = "many-" + (100 + i);
                held.put(name, locks.lock(name).acquire());
            }
            request.end("held");
        });
        router.get("/hold-cut").blockingHandler(request -> {
            held.put("cut", locks.lock("cut-\ud83d").acquire());
            request.end("held");
        });
        router.get("/wait/:name").handler(request -> {
            locks.lock(request.pathParam("name")).tryAcquireAsync(Duration.ofMinutes(10)).subscribe().with(ignored -> {
            }, ignored -> {
            });
            request.end("waiting");
        });
    }
}
