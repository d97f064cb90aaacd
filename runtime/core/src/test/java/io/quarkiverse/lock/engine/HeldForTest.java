package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;

/** A caller whose wait times out learns who holds the lock, and for how long. */
class HeldForTest {

    private final VirtualTime time = new VirtualTime();
    private final LocalStore store = new LocalStore(time);
    private final LockEngine one = engine("one");
    private final LockEngine two = engine("two");
    private final LockEngine three = engine("three");
    /** Keeps their handles reachable, so that they are not released as forgotten. */
    private final List<UniAssertSubscriber<LockHandle>> asked = new ArrayList<>();

    private LockEngine engine(String owner) {
        return LockEngine.builder(new LocalBackend(store, owner)).time(time).threads(CallerThreads.plain(Runnable::run))
                .start();
    }

    @AfterEach
    void close() {
        one.close();
        two.close();
        three.close();
    }

    private UniAssertSubscriber<LockHandle> ask(LockEngine engine, LockOptions options) {
        UniAssertSubscriber<LockHandle> asking = engine.manager(ManagerDefaults.STANDARD).lock("a", options).acquireAsync()
                .subscribe().withSubscriber(UniAssertSubscriber.create());
        asked.add(asking);
        return asking;
    }

    private static LockOptions wait(String wait) {
        return LockOptions.DEFAULTS.withWaitFor(Duration.parse("PT" + wait));
    }

    private static void assertBusy(UniAssertSubscriber<LockHandle> asked, String held) {
        assertThat(asked.getFailure()).isInstanceOf(LockBusyException.class).hasMessageEndingWith(held);
    }

    @Test
    void heldTimeIsMeasuredAtEndOfWait() {
        ask(one, LockOptions.DEFAULTS).assertCompleted();
        time.advance(Duration.ofMillis(3_028));
        var waiting = ask(two, wait("4s"));
        time.advance(Duration.ofSeconds(4));
        assertBusy(waiting, "is still busy after 4s: held by one for 7.028s");
    }

    @Test
    void failureNamesTheCurrentHolder() {
        LockHandle first = ask(one, LockOptions.DEFAULTS).assertCompleted().getItem();
        time.advance(Duration.ofSeconds(3));
        var second = ask(two, LockOptions.DEFAULTS);
        var third = ask(three, wait("4s"));
        time.advance(Duration.ofSeconds(3));
        first.release();
        second.assertCompleted();
        time.advance(Duration.ofSeconds(1));
        assertBusy(third, "held by two for 1s");
    }

    @Test
    void shortHeldTimesAreShownInMillis() {
        LockOptions oneAtATime = LockOptions.DEFAULTS.withLimit(1);
        ask(one, oneAtATime).assertCompleted();
        time.advance(Duration.ofMillis(40));
        assertBusy(ask(two, oneAtATime.withWaitFor(Duration.ZERO)), "held by one for 40ms");
        var waiting = ask(two, oneAtATime.withWaitFor(Duration.ofMillis(30)));
        time.advance(Duration.ofMillis(30));
        assertBusy(waiting, "held by one for 70ms");
    }
}
