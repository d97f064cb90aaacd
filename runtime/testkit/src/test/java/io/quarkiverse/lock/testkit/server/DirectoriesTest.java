package io.quarkiverse.lock.testkit.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectoriesTest {

    @TempDir
    Path folder;

    @Test
    void copyIsIdenticalByteForByte() throws IOException {
        Path from = Files.createDirectories(folder.resolve("from"));
        Files.createDirectories(from.resolve("empty"));
        byte[] reserved = new byte[300_001];
        byte[] partly = new byte[300_001];
        Arrays.fill(partly, 70_000, 70_010, (byte) 7);
        partly[300_000] = 1;
        Files.write(from.resolve("reserved"), reserved);
        Files.write(Files.createDirectories(from.resolve("in")).resolve("partly"), partly);
        Files.write(from.resolve("nothing"), new byte[0]);
        Path to = folder.resolve("to");
        Directories.copy(from, to);
        assertThat(Files.readAllBytes(to.resolve("reserved"))).isEqualTo(reserved);
        assertThat(Files.readAllBytes(to.resolve("in/partly"))).isEqualTo(partly);
        assertThat(to.resolve("nothing")).isEmptyFile();
        assertThat(to.resolve("empty")).isEmptyDirectory();
    }

    @Test
    void deletionIsRecursiveAndIdempotent() throws IOException {
        Path directory = Files.createDirectories(folder.resolve("some"));
        Files.createFile(Files.createDirectories(directory.resolve("in/it")).resolve("file"));
        Directories.delete(directory);
        assertThat(directory).doesNotExist();
        Directories.delete(directory);
    }
}
