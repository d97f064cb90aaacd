package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.engine.queue.RenewalSweep;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;

/** How many renewals are under way at once. */
class RenewalSweepTest {

    private final List<Grant> due = new ArrayList<>();
    private final List<Grant> sent = new ArrayList<>();
    private final ArrayDeque<Runnable> underWay = new ArrayDeque<>();

    RenewalSweepTest() {
        for (int i = 0; i < 5_250; i++) {
            due.add(new Grant(new Claim("name-" + i, 0, i, LockMode.EXCLUSIVE, 0, 1, true), i, 0));
        }
    }

    @Test
    void atMostFourBatchesAreInFlight() {
        new RenewalSweep(due, (batch, answered) -> {
            assertThat(batch).hasSizeLessThanOrEqualTo(500);
            sent.addAll(batch);
            underWay.add(answered);
        }).start();
        assertThat(underWay).hasSize(4);
        underWay.poll().run();
        assertThat(sent).as("one is answered, so one more is sent").hasSize(5 * 500);
        while (!underWay.isEmpty()) {
            assertThat(underWay.size()).isLessThanOrEqualTo(4);
            underWay.poll().run();
        }
        assertThat(sent).isEqualTo(due);
    }

    @Test
    void fault575_nextAnswerContinuesWhatHasFailed() {
        boolean[] scarce = { true };
        RenewalSweep sweep = new RenewalSweep(due, (batch, answered) -> {
            if (sent.size() == 2 * 500 && scarce[0]) {
                scarce[0] = false;
                throw new OutOfMemoryError("for this test");
            }
            sent.addAll(batch);
            underWay.add(answered);
        });
        assertThatThrownBy(sweep::start).isInstanceOf(OutOfMemoryError.class);
        while (!underWay.isEmpty()) {
            underWay.poll().run();
        }
        assertThat(sent).isEqualTo(due);
    }

    @Test
    void synchronousAnswersCompleteTheSweep() {
        new RenewalSweep(due, (batch, answered) -> {
            sent.addAll(batch);
            answered.run();
        }).start();
        assertThat(sent).isEqualTo(due);
    }
}
