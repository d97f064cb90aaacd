package io.quarkiverse.lock.it.models;

import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Runs TLC in a JVM of its own: it keeps its state in static fields, and ends the JVM as it likes. */
final class Tlc {

    /** For how long a check may take, on a machine that is busy with other things too. */
    private static final long LONGEST_SECONDS = 300;
    private static final Path WORK = Path.of("target/tlc").toAbsolutePath();

    private static final Pattern VIOLATED = Pattern.compile("Error: Invariant (\\w+) is violated");
    private static final Pattern STATES = Pattern.compile("(?m)^\\d+ states generated, (\\d+) distinct states found");
    private static final Pattern STEP = Pattern.compile("(?m)^State (\\d+):");

    /**
     * @param verdict the violated invariant, {@code holds}, or why there is none
     * @param steps how many states the counterexample has
     * @param output what TLC has said
     */
    record Result(String verdict, long states, int steps, long millis, Path output) {
    }

    private Tlc() {
    }

    /**
     * @param label names the directory in {@code target/tlc}
     * @param configuration of the model
     * @param modules that it needs, and their texts
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
        // -deadlock: do not look for deadlocks, since the bounds end every run.
        // It unpacks its own modules into the temporary directory, where another one that runs would read half of them
        Process tlc = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx1200m", "-Djava.io.tmpdir=" + work, "-cp", jar(),
                "tlc2.TLC", "-deadlock", "-workers", "1", "-checkpoint", "0", "-metadir", work.resolve("states").toString(),
                "-config", "check.cfg",
                model + ".tla").directory(work.toFile()).redirectErrorStream(true).redirectOutput(output.toFile()).start();
        boolean ended;
        try {
            ended = tlc.waitFor(LONGEST_SECONDS, SECONDS);
        } finally {
            tlc.destroyForcibly();
        }
        long millis = NANOSECONDS.toMillis(System.nanoTime() - start);
        String said = Files.readString(output);
        return new Result(ended ? verdict(said) : "no end after " + LONGEST_SECONDS + " s", states(said),
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

    private static String jar() {
        try {
            return Path.of(tlc2.TLC.class.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
