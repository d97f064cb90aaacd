package io.quarkiverse.lock.it.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/**
 * TLC confirms that the models keep their invariants, and that each defect violates the intended one. The checks are listed in
 * {@code docs/models/checks.txt}; the guide's page on the models shows the results.
 */
@TestInstance(Lifecycle.PER_CLASS)
class ModelsTest {

    private static final Path PAGE = Path.of("../../docs/modules/ROOT/pages/internals/models.adoc");

    private final Map<Check, Tlc.Result> results = Collections.synchronizedMap(new LinkedHashMap<>());
    private ExecutorService two;
    private List<Check> checks;
    private String page;

    @BeforeAll
    void read() throws IOException {
        two = Executors.newFixedThreadPool(2);
        checks = Check.all();
        page = Files.readString(PAGE);
    }

    @TestFactory
    Stream<DynamicTest> modelsAndTheirDefects() {
        List<Check> chosen = checks.stream().filter(check -> check.when().now()).toList();
        List<Future<Tlc.Result>> running = chosen.stream().map(check -> two.submit(() -> Tlc.run(check.toString(),
                check.model(), check.configuration(), Map.of()))).toList();
        return Stream.iterate(0, i -> i + 1).limit(chosen.size())
                .map(i -> dynamicTest(chosen.get(i).toString(), () -> judge(chosen.get(i), running.get(i).get())));
    }

    private void judge(Check check, Tlc.Result result) {
        results.put(check, result);
        assertThat(result.verdict()).as("%s, see %s", check, result.output()).isEqualTo(check.violated());
        assertThat(page).as("the page lists the result").contains(row(check, result));
    }

    private static String row(Check check, Tlc.Result result) {
        return String.format(Locale.ROOT, "|%s |%s |%,d%n", check.what(), result.verdict(), result.states());
    }

    @Test
    void eachInvariantHasADefectThatBreaksIt() throws IOException {
        for (String model : checks.stream().map(Check::model).distinct().toList()) {
            assertThat(checks.stream().filter(check -> check.model().equals(model) && check.mutant()).map(Check::violated))
                    .as(model).containsAll(Check.invariants(model));
        }
    }

    @Test
    void everyBuildChecksEachModelWithoutDefect() throws IOException {
        try (var files = Files.list(Check.MODELS)) {
            List<String> models = files.map(file -> file.getFileName().toString()).filter(name -> name.endsWith(".tla"))
                    .map(name -> name.replace(".tla", "")).filter(name -> !name.equals(Recording.MODEL)).toList();
            assertThat(models).isNotEmpty().allSatisfy(model -> assertThat(checks).as(model)
                    .anyMatch(check -> check.model().equals(model) && !check.mutant() && check.when() == Check.When.BUILD));
        }
    }

    @AfterAll
    void print() throws IOException {
        two.shutdownNow();
        StringBuilder table = new StringBuilder(String.format("%-8s %-52s %-16s %10s %6s %7s%n", "model", "what", "verdict",
                "states", "steps", "seconds"));
        results.forEach((check, result) -> {
            table.append(String.format(Locale.ROOT, "%-8s %-52s %-16s %,10d %6d %7.1f%n", check.model(), check.what(),
                    result.verdict().lines().findFirst().orElse(""), result.states(), result.steps(), result.millis() / 1e3));
        });
        System.out.print(table);
        Files.writeString(Path.of("target/models.txt"), table);
    }
}
