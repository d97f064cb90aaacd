package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import org.jboss.logmanager.ExtLogRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.DistributedLock;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.VirtualTime;
import io.quarkiverse.lock.spi.LockEvent;
import io.quarkiverse.lock.spi.LockEvent.Kind;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;

/** A hold whose grant the backend does not have any more when it is given back was lost, though nobody had noticed. */
class LostAtReleaseTest {

    private final VirtualTime time = new VirtualTime();
    private final PushingBackend backend = new PushingBackend();
    private final List<LockEvent> events = new ArrayList<>();
    private final LockEngine engine = LockEngine.builder(backend).time(time).listener(events::add)
            .threads(CallerThreads.plain(Runnable::run)).start();
    private final DistributedLock lock = engine.manager(ManagerDefaults.STANDARD).lock("a");
    private final Logger logger = Logger.getLogger(LockEngine.class.getName());
    private final List<String> warnings = new ArrayList<>();
    private final Handler handler = new Handler() {

        @Override
        public void publish(LogRecord logged) {
            if (logged.getLevel().intValue() >= Level.WARNING.intValue()) {
                warnings.add(logged instanceof ExtLogRecord ext ? ext.getFormattedMessage() : logged.getMessage());
            }
        }

        @Override
        public void flush() {
        }

        @Override
        public void close() {
        }
    };

    @BeforeEach
    void listen() {
        logger.addHandler(handler);
    }

    @AfterEach
    void close() {
        logger.removeHandler(handler);
        engine.close();
    }

    private List<LockEvent> losses() {
        return events.stream().filter(event -> event.kind() == Kind.LOST).toList();
    }

    @Test
    void fault101_aReleaseThatFindsNothingIsReportedAsALossAndNotRepeated() {
        var told = new AtomicInteger();
        LockHandle hold = lock.acquire();
        hold.onLost(told::incrementAndGet);
        long token = hold.fencingToken();
        backend.gone = true;
        hold.close();
        assertThat(losses()).singleElement().satisfies(loss -> {
            assertThat(loss.name()).isEqualTo("a");
            assertThat(loss.fencingToken()).isEqualTo(token);
            assertThat(loss.reason()).isEqualTo("it was not there");
        });
        assertThat(warnings).singleElement().asString().contains("'a'", "token " + token, "it was not there");
        assertThat(hold.lost().toCompletableFuture()).isCompletedWithValueMatching(loss -> loss.lockName().equals("a"));
        assertThat(told).hasValue(1);
        time.advance(Duration.ofMinutes(1));
        assertThat(backend.released).isEqualTo(1);
    }

    @Test
    void fault101_aRepeatedReleaseThatFindsNothingEndsAndReportsToo() {
        LockHandle hold = lock.acquire();
        backend.unreachable = 1; // and nothing was sent
        backend.gone = true;
        hold.close();
        assertThat(losses()).isEmpty();
        time.advance(Duration.ofMinutes(1));
        assertThat(losses()).hasSize(1);
        assertThat(backend.released).isEqualTo(2);
    }

    @Test
    void fault101_aBodyWhoseReleaseFindsNothingFails() {
        backend.gone = true;
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lock.call(() -> "result"))
                .withMessageContaining("it was not there");
        assertThat(losses()).hasSize(1);
    }

    @Test
    void fault101_theFailureOfABodyComesBeforeALossThatItsReleaseFinds() {
        backend.gone = true;
        assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(() -> lock.call(() -> {
            throw new UnsupportedOperationException();
        })).satisfies(failure -> assertThat(failure.getSuppressed()).singleElement().isInstanceOf(LockLostException.class));
    }

    @Test
    void fault101_aResultCountsWhereALossIsOnlyNotified() throws Exception {
        ManagerDefaults some = ManagerDefaults.STANDARD;
        var notify = new ManagerDefaults(some.name(), some.waitFor(), some.lease(), some.renew(), some.maxHold(),
                OnLost.NOTIFY);
        backend.gone = true;
        assertThat(engine.manager(notify).lock("a").call(() -> "result")).isEqualTo("result");
        assertThat(losses()).hasSize(1);
    }

    @Test
    void fault101_aUniWhoseReleaseFindsNothingFails() {
        backend.gone = true;
        lock.callAsync(() -> Uni.createFrom().item("result")).subscribe().withSubscriber(UniAssertSubscriber.create())
                .assertFailedWith(LockLostException.class, "it was not there");
        assertThat(losses()).hasSize(1);
    }

    @Test
    void fault101_whatNobodyReliesOnIsNotLostTwice() {
        LockHandle hold = lock.acquire();
        backend.listener.lost(backend.last, "for this test");
        backend.gone = true;
        hold.close();
        assertThat(losses()).hasSize(1);
        time.advance(Duration.ofMinutes(1));
        assertThat(backend.released).isEqualTo(1);
    }
}
