package io.quarkiverse.lock.engine;

import java.lang.reflect.Proxy;

import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.InMemoryBackend;

/** Local locks whose releases begin, and answers arrive, as late as a test wants. */
final class HesitantBackend {

    private HesitantBackend() {
    }

    /** @param beforeAnswers when the answer to a claim is certain, but not yet known to the caller */
    static InMemoryBackend of(LocalBackend store, Runnable beforeReleases, Runnable beforeAnswers) {
        return of(store, beforeReleases, beforeAnswers, () -> {
        }, () -> {
        });
    }

    /** @param afterReleases when the store has the lock back, but the caller that released it does not know that */
    static InMemoryBackend of(LocalBackend store, Runnable beforeReleases, Runnable beforeAnswers, Runnable afterReleases,
            Runnable beforeRenewals) {
        return (InMemoryBackend) Proxy.newProxyInstance(HesitantBackend.class.getClassLoader(),
                new Class<?>[] { InMemoryBackend.class }, (proxy, method, arguments) -> switch (method.getName()) {
                    case "releaseNow" -> {
                        beforeReleases.run();
                        store.releaseNow((Grant) arguments[0]);
                        afterReleases.run();
                        yield null;
                    }
                    case "acquire" -> store.acquire((Claim) arguments[0]).invoke(beforeAnswers);
                    case "renew" -> {
                        beforeRenewals.run();
                        yield method.invoke(store, arguments);
                    }
                    default -> method.invoke(store, arguments);
                });
    }
}
