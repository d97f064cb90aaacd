package io.quarkiverse.lock.testkit.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

/** The guide explains every line that is logged, and no others. */
class LogLinesPageTest {

    private static final Path ROOT = Path.of("").toAbsolutePath().getParent().getParent();
    private static final Path PAGE = ROOT.resolve("docs/modules/ROOT/pages/production.adoc");
    private static final Pattern ROW = Pattern.compile("(?m)^\\|`\\+(.+)\\+`$");
    private static final Pattern LOGGED = Pattern.compile("(?i:log)\\.(?:warn|error|info)f?\\((.*?)\\);\n", Pattern.DOTALL);
    private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");
    private static final Pattern ARGUMENT = Pattern.compile("%[sd]|\"\\s*\\+\\s*[^\"+]+\\+\\s*\"");

    @Test
    void everyLogLineIsExplained() throws IOException {
        List<String> rows = rows();
        int lines = 0;
        for (String source : sources()) {
            Matcher logged = LOGGED.matcher(source);
            while (logged.find()) {
                String text = logged.group(1);
                if (LITERAL.matcher(text).find()) { // otherwise it is built elsewhere
                    lines++;
                    assertThat(rows).as("the guide's explanation of %s", text).anyMatch(text::contains);
                }
            }
        }
        assertThat(lines).isGreaterThan(30);
    }

    @Test
    void everyExplainedLineIsLogged() throws IOException {
        List<String> sources = sources();
        assertThat(rows()).hasSizeGreaterThan(30)
                .allSatisfy(row -> assertThat(sources).as(row).anyMatch(source -> source.contains(row)));
    }

    private static List<String> rows() throws IOException {
        return ROW.matcher(Files.readString(PAGE)).results().map(row -> row.group(1)).toList();
    }

    /** With each text in one piece, and an ellipsis for the variable parts. */
    private static List<String> sources() throws IOException {
        List<String> sources = new ArrayList<>();
        try (DirectoryStream<Path> modules = Files.newDirectoryStream(ROOT.resolve("runtime"))) {
            for (Path module : modules) {
                Path main = module.resolve("src/main/java");
                if (Files.exists(main)) {
                    try (Stream<Path> files = Files.walk(main)) {
                        for (Path file : files.filter(file -> file.toString().endsWith(".java")).toList()) {
                            String code = Files.readString(file).replaceAll("(?m)^ *\\*.*$", "");
                            String joined = code.replaceAll("\"\\s*\\+\\s*\"", "");
                            sources.add(ARGUMENT.matcher(joined).replaceAll("…"));
                        }
                    }
                }
            }
        }
        return sources;
    }
}
