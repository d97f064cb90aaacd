package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

import io.quarkiverse.lock.engine.news.Tracing;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.engine.state.HoldTrace;

/** Writes down what it is told of each hold. */
final class ToldTraces implements Tracing {

    final List<String> told = new CopyOnWriteArrayList<>();
    volatile boolean failing;
    /** Whether no hold is worth following. */
    volatile boolean unsampled;
    /** For what happens meanwhile; receives the name. */
    volatile Consumer<String> whenRequested = name -> {
    };
    volatile Runnable whenGranted = () -> {
    };

    @Override
    public HoldTrace requested(String name, HoldSettings settings, String backend) {
        told.add(name + " requested");
        if (failing) {
            throw new IllegalStateException("out of order");
        }
        whenRequested.accept(name);
        return unsampled ? null : new HoldTrace() {

            private void tell(String news) {
                told.add(name + " " + news);
            }

            @Override
            public void granted(long fencingToken, boolean handedOver) {
                assertThat(fencingToken).isPositive();
                tell(handedOver ? "granted, handed over" : "granted");
                whenGranted.run();
            }

            @Override
            public void busy(String heldBy) {
                tell("busy, " + heldBy);
            }

            @Override
            public void failed(String why) {
                tell("failed, " + why);
            }

            @Override
            public void givenUp() {
                tell("given up");
            }

            @Override
            public void lost(String why) {
                tell("lost, " + why);
            }

            @Override
            public void ended(boolean lost) {
                tell(lost ? "ended, lost" : "ended");
            }
        };
    }

    @Override
    public Executor keepingContext(Executor threads) {
        return threads;
    }
}
