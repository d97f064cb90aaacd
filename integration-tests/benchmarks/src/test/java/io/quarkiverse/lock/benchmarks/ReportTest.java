package io.quarkiverse.lock.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

class ReportTest {

    @Test
    void barsAreCheckedAgainstTheMedian() {
        Sample ours = Sample.median(List.of(cycles(10), cycles(90), cycles(80)));
        var report = new Report();
        report.add("work", List.of(Bar.atLeast(0.8, Metric.CYCLES, "raw"), Bar.atLeast(0.81, Metric.CYCLES, "raw"),
                Bar.atMost(1, Metric.P99)), Map.of("ours", ours, "raw", cycles(100)));
        assertThat(report.toString()).contains("| work | cycles/s at least 0.80 x raw | 0.80 x | PASS |",
                "| work | cycles/s at least 0.81 x raw | 0.80 x | FAIL |",
                "| - | FAIL |");
    }

    @Test
    void nonExclusiveLockIsDetected() {
        Mutex none = new Mutex() {

            @Override
            public void lock() {
            }

            @Override
            public void unlock() {
            }
        };
        var last = new AtomicLong();
        Guarded forgetful = new Guarded() {

            @Override
            public boolean touch() {
                last.incrementAndGet();
                return false;
            }

            @Override
            public long count() {
                return last.get() - 1;
            }
        };
        Tally tally = Tally.sum(new Crew(Load.cycles(1_000_000)).member(none, forgetful).run(Crew.PLATFORM));
        assertThatThrownBy(() -> Exclusion.check("none", tally.total(), forgetful.count()))
                .hasMessageContaining("did not exclude");
    }

    @Test
    void tallySurvivesSerialization() {
        var tally = new Tally(List.of(3L, 5L), Tally.histogram(), Tally.histogram(), 7);
        tally.times().recordValue(1_234_567);
        Tally read = TallyText.read(TallyText.write(tally));
        assertThat(read.cycles()).containsExactly(3L, 5L);
        assertThat(read.times()).isEqualTo(tally.times());
        assertThat(read.nanos()).isEqualTo(7);
        assertThat(read.share()).isEqualTo(0.6);
    }

    private static Sample cycles(double value) {
        return new Sample().put(Metric.CYCLES, value);
    }
}
