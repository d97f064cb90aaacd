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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The metadata that tools show for each extension exists, and links to a page of the guide. */
class ExtensionMetadataTest {

    private static final Path ROOT = Path.of("").toAbsolutePath().getParent().getParent();
    private static final Pattern GUIDE = Pattern.compile("(?m)^  guide: .*/quarkus-lock/dev/(\\w*)(?:\\.html)?$");

    static Stream<Path> extensions() throws IOException {
        List<Path> extensions = new ArrayList<>();
        try (DirectoryStream<Path> modules = Files.newDirectoryStream(ROOT.resolve("runtime"))) {
            for (Path module : modules) {
                Path pom = module.resolve("pom.xml");
                if (Files.exists(pom) && Files.readString(pom).contains("<goal>extension-descriptor</goal>")) {
                    extensions.add(module);
                }
            }
        }
        assertThat(extensions).extracting(module -> module.getFileName().toString()).contains("core", "redis", "zookeeper",
                "jpa");
        return extensions.stream();
    }

    @ParameterizedTest
    @MethodSource("extensions")
    void extensionMetadataIsComplete(Path module) throws IOException {
        Path descriptor = module.resolve("src/main/resources/META-INF/quarkus-extension.yaml");
        assertThat(descriptor).exists().content()
                .containsPattern("(?m)^name: Lock\\b")
                .containsPattern("(?m)^description: \\S+")
                .containsPattern("(?m)^  short-name: lock\\b")
                .containsPattern("(?m)^  keywords:\n    - lock$")
                .containsPattern("(?m)^  categories:\n    - \"\\w+\"$")
                .containsPattern("(?m)^  status: \\w+$")
                .containsPattern("(?m)^  config:\n    - \"quarkus\\.lock\\.[a-z.]*\"$");
        Matcher guide = GUIDE.matcher(Files.readString(descriptor));
        assertThat(guide.find()).as("a guide").isTrue();
        String page = guide.group(1).isEmpty() ? "index" : guide.group(1);
        assertThat(ROOT.resolve("docs/modules/ROOT/pages").resolve(page + ".adoc")).exists();
    }

    @Test
    void requiredQuarkusVersionMatchesTheBuild() throws IOException {
        String pom = Files.readString(ROOT.resolve("pom.xml"));
        Matcher quarkus = Pattern.compile("<quarkus.version>(\\d+)\\.(\\d+)\\.").matcher(pom);
        assertThat(quarkus.find()).isTrue();
        assertThat(pom).contains("<requiresQuarkusCore>[%1$s.%2$s,%1$s.999]</requiresQuarkusCore>".formatted(quarkus.group(1),
                quarkus.group(2)));
    }

    @ParameterizedTest
    @MethodSource("extensions")
    void extensionHasASkillForAgents(Path module) throws IOException {
        Path skill = ROOT.resolve("deployment").resolve(module.getFileName())
                .resolve("src/main/resources/META-INF/quarkus-skill.md");
        assertThat(skill).exists().content().contains("### ").doesNotStartWith("---");
    }
}
