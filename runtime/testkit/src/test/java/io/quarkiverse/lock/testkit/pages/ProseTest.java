package io.quarkiverse.lock.testkit.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** In the guide, changing a sentence changes one line, and each page begins by addressing its readers. */
class ProseTest {

    private static final Path PAGES = Path.of("").toAbsolutePath().getParent().getParent()
            .resolve("docs/modules/ROOT/pages");
    /** Text between two of these is not prose. */
    private static final Set<String> FENCES = Set.of("----", "....", "++++", "////");
    private static final Pattern NO_PROSE = Pattern.compile("(?:=+ |\\[|:[\\w-]+:|include::|image::|//|\\.\\w).*");
    /** Replaces text that contains full stops of its own. */
    private static final String WORD = "Word";
    private static final Pattern CODE_OR_LINK = Pattern
            .compile("`[^`]*`|(?:xref:|link:|https?://)[^\\s\\[]*\\[[^]]*]|<<[^>]*>>");
    private static final Pattern NEXT_SENTENCE = Pattern.compile("[\\w)\\]*%…][.!?][)*_]{0,2} +[*_(]{0,2}[A-Z]");

    static Stream<Path> pages() throws IOException {
        try (Stream<Path> files = Files.walk(PAGES)) {
            return files.filter(file -> file.toString().endsWith(".adoc") && !file.toString().contains("/includes/")).sorted()
                    .toList().stream();
        }
    }

    static Stream<Path> guide() throws IOException {
        return pages().filter(page -> page.getParent().equals(PAGES));
    }

    @ParameterizedTest
    @MethodSource("pages")
    void eachLineHoldsOneSentence(Path page) throws IOException {
        assertThat(prose(page)).isNotEmpty().allSatisfy(line -> assertThat(
                NEXT_SENTENCE.matcher(CODE_OR_LINK.matcher(line).replaceAll(WORD)).find()).as(line).isFalse());
    }

    @ParameterizedTest
    @MethodSource("guide")
    void pagesBeginByAddressingTheReader(Path page) throws IOException {
        assertThat(prose(page).get(0)).startsWith("You ");
    }

    private static List<String> prose(Path page) throws IOException {
        List<String> prose = new ArrayList<>();
        String fence = null;
        for (String line : Files.readAllLines(page)) {
            if (fence != null) {
                fence = line.equals(fence) ? null : fence;
            } else if (FENCES.contains(line)) {
                fence = line;
            } else if (!line.isBlank() && !NO_PROSE.matcher(line).matches()) {
                prose.add(line);
            }
        }
        return prose;
    }
}
