package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.DistributedLock;
import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockOptions;

/** A grant that arrives when its lease has nearly expired is useless, and is released. */
class LateGrantTest extends PushingTest {

    private static final Duration TOO_LATE = Duration.ofMillis(2900);

    private final List<Throwable> failed = new ArrayList<>();

    @Test
    void waiterClaimsAgainAfterLateGrant() {
        ask(Duration.ofSeconds(10));
        Runnable first = backend.answer;
        time.advance(TOO_LATE);
        first.run();
        assertThat(backend.released).isEqualTo(1);
        assertThat(backend.answer).as("another claim").isNotSameAs(first);
        backend.answer.run();
        assertThat(granted).singleElement().satisfies(hold -> assertThat(hold.isValid()).isTrue());
    }

    /** Otherwise it would wait as long as answers come late. */
    @Test
    void immediateTryClaimsOnlyOnce() {
        ask(Duration.ZERO);
        Runnable first = backend.answer;
        time.advance(TOO_LATE);
        first.run();
        assertThat(backend.released).isEqualTo(1);
        assertThat(failed).singleElement().isInstanceOf(LockBackendException.class);
        assertThat(backend.answer).isSameAs(first);
        backend.slow = false;
        assertThat(lock(Duration.ZERO).tryAcquire(Duration.ZERO)).as("the next one").isPresent();
    }

    private void ask(Duration wait) {
        backend.slow = true;
        lock(wait).acquireAsync().subscribe().with(granted::add, failed::add);
    }

    private DistributedLock lock(Duration wait) {
        return engine.manager(ManagerDefaults.STANDARD).lock("a", LockOptions.DEFAULTS.withWaitFor(wait));
    }
}
