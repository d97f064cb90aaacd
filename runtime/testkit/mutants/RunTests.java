import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.util.ArrayList;
import java.util.List;

import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs tests, each named {@code class#method}, and prints a line for each of them: RESULT, the name, and
 * {@code green}, {@code red} with why, or {@code error} when nothing was run, or something else than the test itself failed.
 */
public final class RunTests {

    private RunTests() {
    }

    public static void main(String[] names) {
        var launcher = LauncherFactory.create();
        for (String name : names) {
            LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request().selectors(selectMethod(name)).build();
            var seen = new Seen();
            try {
                launcher.execute(request, seen);
                System.out.println("RESULT\t" + name + "\t" + seen.result());
            } catch (Throwable e) {
                System.out.println("RESULT\t" + name + "\terror\t" + firstLine(e));
            }
            System.out.flush();
        }
        // Whatever a broken product has left running
        Runtime.getRuntime().halt(0);
    }

    private static String firstLine(Throwable e) {
        return String.valueOf(e).strip().lines().map(String::strip).filter(line -> !line.isEmpty()).limit(3)
                .reduce((a, b) -> a + " " + b).orElse("?");
    }

    private static final class Seen implements TestExecutionListener {

        private int run;
        private final List<String> red = new ArrayList<>();
        private final List<String> errors = new ArrayList<>();

        @Override
        public void executionSkipped(TestIdentifier test, String reason) {
            errors.add("skipped: " + reason);
        }

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            Throwable failure = result.getThrowable().orElse(null);
            if (test.isTest()) {
                run++;
            }
            if (result.getStatus() == TestExecutionResult.Status.SUCCESSFUL) {
                return;
            }
            // what a build must say, refuse or accept shows before the first test of a class, or after its last
            boolean ofTheTest = result.getStatus() == TestExecutionResult.Status.FAILED
                    && (test.isTest() ? !(failure instanceof LinkageError)
                            : failure instanceof AssertionError
                                    || firstLine(failure).contains("quarkus.builder.BuildException"));
            (ofTheTest ? red : errors).add(firstLine(failure));
        }

        String result() {
            if (!errors.isEmpty()) {
                return "error\t" + errors.get(0);
            }
            if (!red.isEmpty()) {
                return "red\t" + red.get(0);
            }
            return run == 0 ? "error\tno such test" : "green";
        }
    }
}
