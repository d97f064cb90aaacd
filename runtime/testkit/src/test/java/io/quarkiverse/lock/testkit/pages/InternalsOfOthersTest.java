package io.quarkiverse.lock.testkit.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

/**
 * The internals of other projects change from one of their releases to the next. ArchUnit checks the classes of most modules;
 * this checks the sources of all, which may also name such a class in a string.
 */
class InternalsOfOthersTest {

    private static final Path ROOT = Path.of("").toAbsolutePath().getParent().getParent();
    private static final Pattern INTERNAL = Pattern
            .compile("\\b(?:[a-z]\\w*\\.)+(?:impl|imps|internal|shaded)\\.[\\w.]*[A-Z]\\w*");

    /** Each is the only one of its kind, and is justified where it is used. */
    private static final Set<String> JUSTIFIED = Set.of(
            // Vert.x has no public call that leaves the context that a task came with, or enters one on any other thread; see
            // QuarkusCallerThreads
            "runtime/core: io.vertx.core.impl.ContextInternal",
            // What the API of Curator returns
            "runtime/zookeeper: org.apache.curator.framework.imps.CuratorFrameworkState");

    @Test
    void onlyJustifiedInternalsAreUsed() throws IOException {
        Set<String> used = new TreeSet<>();
        for (String kind : new String[] { "runtime", "deployment" }) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(kind))) {
                for (Path file : files.filter(InternalsOfOthersTest::isMainCode).toList()) {
                    String module = kind + "/" + ROOT.resolve(kind).relativize(file).getName(0);
                    INTERNAL.matcher(Files.readString(file)).results().forEach(name -> used.add(module + ": " + name.group()));
                }
            }
        }
        assertThat(used).containsExactlyInAnyOrderElementsOf(JUSTIFIED);
    }

    private static boolean isMainCode(Path file) {
        return file.toString().contains("/src/main/java/") && file.toString().endsWith(".java");
    }
}
