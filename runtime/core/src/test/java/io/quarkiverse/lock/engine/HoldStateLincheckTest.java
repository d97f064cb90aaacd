package io.quarkiverse.lock.engine;

import org.jetbrains.kotlinx.lincheck.LinChecker;
import org.jetbrains.kotlinx.lincheck.annotations.Operation;
import org.jetbrains.kotlinx.lincheck.strategy.managed.modelchecking.ModelCheckingOptions;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.engine.state.HoldState;

/** Every interleaving of three threads on one hold's state equals some sequential order of their operations. */
public class HoldStateLincheckTest {

    /** Number of scenarios. */
    private static final int ITERATIONS = Boolean.getBoolean("lock.test.full") ? 8 : 4;

    private final HoldState state = new HoldState();

    @Operation
    public boolean grant() {
        return state.markGranted();
    }

    @Operation
    public boolean refuse() {
        return state.markRefused();
    }

    @Operation
    public boolean suspect() {
        return state.markSuspect();
    }

    @Operation
    public boolean confirm() {
        return state.markConfirmed();
    }

    @Operation
    public boolean lose() {
        return state.markLost();
    }

    @Operation
    public boolean release() {
        return state.markReleased();
    }

    @Operation
    public boolean live() {
        return state.live();
    }

    @Test
    void operationsAreLinearizable() {
        LinChecker.check(HoldStateLincheckTest.class,
                new ModelCheckingOptions().iterations(ITERATIONS).invocationsPerIteration(200).threads(3).actorsPerThread(3));
    }
}
