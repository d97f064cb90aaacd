package io.quarkiverse.lock.testkit.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

/** Every place named on the architecture page exists. */
class PlacesTest {

    private static final Path ROOT = Path.of("").toAbsolutePath().getParent().getParent();
    private static final Pattern PLACE = Pattern.compile("`((?:\\w+/)+\\w+)`");

    @Test
    void placesOnTheArchitecturePageExist() throws IOException {
        String page = Files.readString(ROOT.resolve("docs/modules/ROOT/pages/internals/architecture.adoc"));
        String answers = page.substring(page.indexOf("== Where is"));
        List<String> places = PLACE.matcher(answers).results().map(MatchResult::group)
                .map(place -> place.substring(1, place.length() - 1)).toList();
        assertThat(places).hasSizeGreaterThanOrEqualTo(10).allSatisfy(place -> assertThat(exists(place)).as(place).isTrue());
    }

    /** A class or a package, in any of the modules. */
    private static boolean exists(String place) throws IOException {
        for (String kind : List.of("runtime", "deployment")) {
            try (Stream<Path> modules = Files.list(ROOT.resolve(kind))) {
                if (modules.map(module -> module.resolve("src/main/java/io/quarkiverse/lock"))
                        .anyMatch(sources -> Files.exists(sources.resolve(place + ".java"))
                                || Files.isDirectory(sources.resolve(place)))) {
                    return true;
                }
            }
        }
        return false;
    }
}
