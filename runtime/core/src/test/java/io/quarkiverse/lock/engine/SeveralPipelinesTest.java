package io.quarkiverse.lock.engine;

import java.util.List;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.engine.reactive.Pipelines;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/** A transaction under several locks, one of which is lost before anyone is notified. */
class SeveralPipelinesTest extends ToldPipelines {

    private static final String[] BOTH = { "a", "b" };

    @Test
    void uniDoesNotCommitAfterALoss() {
        for (String name : List.of("a", "b")) {
            Uni<String> body = Uni.createFrom().item(() -> lose(name));
            engine.pipelines().locked(BOTH, settings, null,
                    (both, pipeline) -> Pipelines.failingInside(body, pipeline)
                            .onItem().invoke(committed::add).onFailure().invoke(rolledBack::add))
                    .subscribe().with(item -> {
                    }, failure -> {
                    });
            assertRolledBack(name);
            rolledBack.clear();
            tellAll();
        }
    }

    @Test
    void multiDoesNotCommitAfterALoss() {
        for (String name : List.of("a", "b")) {
            Multi<String> body = Multi.createFrom().<String> empty().onCompletion().invoke(() -> lose(name));
            engine.pipelines().lockedMulti(BOTH, settings, null,
                    (both, pipeline) -> Pipelines.failingInside(body, pipeline)
                            .onCompletion().invoke(() -> committed.add("")).onFailure().invoke(rolledBack::add))
                    .subscribe().with(item -> {
                    }, failure -> {
                    });
            assertRolledBack(name);
            rolledBack.clear();
            tellAll();
        }
    }

    private String lose(String name) {
        locks.forceRelease(name);
        return name;
    }
}
