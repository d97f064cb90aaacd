package io.quarkiverse.lock.it.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the guide shows is what is compiled and run here. */
class GuideExamplesTest {

    private static final Path PAGES = Path.of("../../docs/modules/ROOT/pages");
    private static final Pattern EXAMPLE = Pattern.compile("\\[source,java]\n----\n(.*?)\n----\n", Pattern.DOTALL);
    private static final Pattern CALLOUT = Pattern.compile("\\s*(//\\s*)?<\\d+>$", Pattern.MULTILINE);

    @ParameterizedTest
    @CsvSource({ "testing.adoc, = Testing, 5", "scheduled.adoc, = Scheduled, 3", "losing.adoc, == Over REST, 6" })
    void areCompiled(String page, String from, int least) throws IOException {
        String text = Files.readString(PAGES.resolve(page));
        List<String> examples = examples(text.substring(text.indexOf(from)));
        assertThat(examples).hasSizeGreaterThanOrEqualTo(least);
        String sources = sources();
        assertThat(examples).allSatisfy(example -> assertThat(sources).contains(example));
    }

    private static List<String> examples(String text) {
        List<String> examples = new ArrayList<>();
        for (Matcher each = EXAMPLE.matcher(text); each.find();) {
            if (!each.group(1).contains("@SchedulerLock")) { // that one is another library's
                examples.add(inOneLine(CALLOUT.matcher(each.group(1)).replaceAll("")));
            }
        }
        return examples;
    }

    private static String sources() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of("src"))) {
            StringBuilder sources = new StringBuilder();
            for (Path file : files.filter(file -> file.toString().endsWith(".java")).toList()) {
                sources.append(inOneLine(Files.readString(file))).append(' ');
            }
            return sources.toString();
        }
    }

    private static String inOneLine(String text) {
        return text.strip().replaceAll("\\s+", " ");
    }
}
