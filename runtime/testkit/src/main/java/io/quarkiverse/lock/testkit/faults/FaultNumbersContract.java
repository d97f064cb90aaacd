package io.quarkiverse.lock.testkit.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.TreeSet;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

import io.quarkiverse.lock.testkit.contract.SkipList;

/**
 * Every fault that a backend has to survive has a test. Extend this class in the package of the backend's tests: it searches
 * that package and those below.
 *
 * <pre>{@code
 * class MyFaultNumbersTest extends FaultNumbersContract {
 *     protected Set<Integer> demanded() {
 *         return Set.of(1, 2, 3);
 *     }
 *
 *     protected String environment() {
 *         return "mine";
 *     }
 * }
 * }</pre>
 */
public abstract class FaultNumbersContract {

    /** The numbers of the fault list that apply to this backend. */
    protected abstract Set<Integer> demanded();

    /** The environment whose list of skips counts: a skipped test covers no number. */
    protected abstract String environment();

    private FaultNumbers numbers() {
        return new FaultNumbers(getClass().getPackageName(), SkipList.all(environment()));
    }

    @Test
    void everyDemandedFaultHasATest(TestReporter reporter) {
        FaultNumbers numbers = numbers();
        numbers.tests().forEach((number, tests) -> reporter.publishEntry("fault " + number, String.join(", ", tests)));
        Set<Integer> missing = new TreeSet<>(demanded());
        missing.removeAll(numbers.tests().keySet());
        assertThat(missing).as("faults without a test; there are %s", numbers.tests()).isEmpty();
    }

    @Test
    void testNamesAndAnnotationsAgree() {
        assertThat(numbers().misnamed()).as("tests named fault<number>_... without that @Fault, or with one and not so "
                + "named").isEmpty();
    }
}
