package io.quarkiverse.lock.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.testkit.history.Violation.Rule;

/** The sorting checker and the searching checker agree on which histories a mutex allows. */
class MutexSearchTest {

    private static final int HISTORIES = 20_000;

    @Test
    void checkersAgreeOnSmallHistories() {
        int fine = 0;
        for (int seed = 0; seed < HISTORIES; seed++) {
            List<HistoryEvent> events = history(new SplittableRandom(seed), seed % 3 == 0);
            boolean explained = MutexSearch.explains(events);
            assertThat(violations(events).isEmpty()).as("seed %s, found by sorting: %s", seed, violations(events))
                    .isEqualTo(explained);
            fine += explained ? 1 : 0;
        }
        assertThat(fine).as("about half of them, or too little is compared").isBetween(HISTORIES / 4, HISTORIES * 3 / 4);
    }

    @Test
    void mutexHistoriesAreExplained() {
        for (int seed = 0; seed < 1000; seed++) {
            assertThat(MutexSearch.explains(mutex(new SplittableRandom(seed)))).as("seed %s", seed).isTrue();
        }
    }

    private static List<Violation> violations(List<HistoryEvent> events) {
        return HistoryChecker.STANDARD.check(events, 1000).stream()
                .filter(each -> each.rule() == Rule.EXCLUSION || each.rule() == Rule.FENCING).toList();
    }

    /** One hold after the other, each observed to begin later and end earlier than it did. */
    private static List<HistoryEvent> mutex(SplittableRandom random) {
        var events = new ArrayList<HistoryEvent>();
        long now = 100;
        for (int hold = 1; hold <= 2 + random.nextInt(5); hold++) {
            long granted = now + random.nextInt(5);
            long ended = granted + 1 + random.nextInt(20);
            long answered = granted + random.nextInt(25);
            add(events, hold, granted - random.nextInt(30), answered, answered + random.nextInt(10), hold);
            if (events.get(events.size() - 1).from() > ended) {
                events.remove(events.size() - 1); // it was no longer valid when it was checked
            }
            now = ended;
        }
        return events;
    }

    /** Possible for a mutex or not: the times of requests, answers and holds, and some of the tokens, are random. */
    private static List<HistoryEvent> history(SplittableRandom random, boolean tokensToo) {
        if (random.nextInt(3) == 0) {
            return mutex(random);
        }
        var events = new ArrayList<HistoryEvent>();
        long now = 100;
        int holds = 2 + random.nextInt(5);
        for (int hold = 1; hold <= holds; hold++) {
            long asked = now - random.nextInt(20);
            long answered = Math.max(asked, now + random.nextInt(6));
            long token = tokensToo && random.nextInt(4) == 0 ? 1 + random.nextInt(holds) : hold;
            add(events, hold, asked, answered, answered + random.nextInt(12) - 1, token);
            now = answered + random.nextInt(15);
        }
        return events;
    }

    private static void add(List<HistoryEvent> events, long hold, long asked, long answered, long valid, long token) {
        String process = "jvm-" + hold % 3;
        events.add(HistoryEvent.invoked(process, "lock", hold, asked, asked + 900, 5));
        events.add(HistoryEvent.acquired(process, "lock", hold, answered, token));
        events.add(HistoryEvent.valid(process, "lock", hold, valid, valid));
    }
}
