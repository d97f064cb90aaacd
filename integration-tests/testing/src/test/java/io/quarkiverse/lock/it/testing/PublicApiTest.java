package io.quarkiverse.lock.it.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.rest.FencingTokenHeader;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.support.StoreLockBackend;
import io.quarkiverse.lock.test.TestLocks;
import io.quarkiverse.lock.text.PrintableName;

/**
 * The public API matches its written record, so that it does not change by accident. The guide says what it promises.
 */
class PublicApiTest {

    private static final List<Class<?>> PACKAGES = List.of(Locked.class, LockBackend.class, StoreLockBackend.class,
            FencingTokenHeader.class, TestLocks.class, PrintableName.class);
    private static final Path WRITTEN_DOWN = Path.of("src/test/resources/public-api.txt");
    private static final Path COMPILED = Path.of("target/public-api.txt");

    @Test
    void publicApiIsBinaryCompatible() throws IOException {
        SortedSet<String> gone = writtenDown();
        gone.removeAll(compiled());
        assertThat(gone)
                .as("gone or changed: what is compiled against it fails. Keep it, deprecated, beside what replaces it. If the"
                        + " guide's page on compatibility allows for the change, copy %s to %s", COMPILED, WRITTEN_DOWN)
                .isEmpty();
    }

    @Test
    void newPublicApiIsRecorded() throws IOException {
        SortedSet<String> added = compiled();
        added.removeAll(writtenDown());
        assertThat(added)
                .as("new: promised from the next release on; a method that others implement needs a body. If it is meant to"
                        + " be public, copy %s to %s", COMPILED, WRITTEN_DOWN)
                .isEmpty();
    }

    private static SortedSet<String> compiled() throws IOException {
        SortedSet<String> lines = new TreeSet<>();
        PACKAGES.forEach(each -> lines.addAll(PublicApi.ofPackage(each)));
        assertThat(lines).as("the public API").isNotEmpty();
        Files.write(COMPILED, lines);
        return lines;
    }

    private static SortedSet<String> writtenDown() throws IOException {
        return new TreeSet<>(Files.readAllLines(WRITTEN_DOWN));
    }
}
