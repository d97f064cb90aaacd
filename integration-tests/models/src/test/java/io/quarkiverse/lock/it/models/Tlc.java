package io.quarkiverse.lock.it.models;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Runs TLC, and parses its output. */
final class Tlc {

    static final Path WORK = Path.of("target/tlc").toAbsolutePath();

    private static final Pattern VIOLATED = Pattern.compile("Error: Invariant (\\w+) is violated");
    private static final Pattern STATES = Pattern.compile("(?m)^\\d+ states generated, (\\d+) distinct states found");
    private static final Pattern STEP = Pattern.compile("(?m)^State (\\d+):");

    /**
     * @param verdict the violated invariant, {@code holds}, or the reason why there is no verdict
     * @param steps how many states the counterexample has
     * @param output what TLC has printed
     */
    record Result(String verdict, long states, int steps, long millis, Path output) {
    }

    private Tlc() {
    }

    /**
     * @param label the name of the directory in {@code target/tlc}
     * @param configuration the configuration of the model
     * @param modules the modules that it needs, with their texts
     */
    static Result run(String label, String model, List<String> configuration, Map<String, String> modules)
            throws IOException, InterruptedException {
        Path work = Files.createDirectories(WORK.resolve(label.replaceAll("\\W+", "-")));
        Files.writeString(work.resolve(model + ".tla"), Files.readString(Check.MODELS.resolve(model + ".tla")));
        for (var module : modules.entrySet()) {
            Files.writeString(work.resolve(module.getKey() + ".tla"), module.getValue());
        }
        Files.write(work.resolve("check.cfg"), configuration);
        Path output = work.resolve("output.txt");
        long start = System.nanoTime();
        boolean ended = TlcJvm.run(work, model, output);
        long millis = NANOSECONDS.toMillis(System.nanoTime() - start);
        String said = Files.readString(output);
        return new Result(ended ? verdict(said) : "no end after " + TlcJvm.LONGEST_SECONDS + " s", states(said),
                (int) STEP.matcher(said).results().count(), millis, output);
    }

    private static String verdict(String said) {
        Matcher violated = VIOLATED.matcher(said);
        if (violated.find()) {
            return violated.group(1);
        }
        return said.contains("Model checking completed. No error has been found.") ? Check.HOLDS : said;
    }

    private static long states(String said) {
        return STATES.matcher(said).results().reduce((first, last) -> last).map(MatchResult::group)
                .map(line -> Long.parseLong(line.replaceAll(".*, (\\d+) distinct.*", "$1"))).orElse(0L);
    }
}
