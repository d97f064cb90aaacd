package io.quarkiverse.lock.testkit.server;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Directories of servers, with their contents. */
final class Directories {

    private static final int BLOCK = 65_536;
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(BLOCK);

    private Directories() {
    }

    /** Copies {@code from} to {@code to}, with the permissions that a server needs. Reserved space stays reserved only. */
    static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> all = Files.walk(from)) {
            for (Path each : (Iterable<Path>) all::iterator) {
                Path copy = to.resolve(from.relativize(each));
                if (Files.isDirectory(each)) {
                    Files.createDirectories(copy);
                    Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString("rwx------"));
                } else {
                    copyFile(each, copy);
                }
            }
        }
    }

    /** A database reserves files of zeros, ten times as large as their contents. */
    private static void copyFile(Path from, Path to) throws IOException {
        try (FileChannel source = FileChannel.open(from); var target = new RandomAccessFile(to.toFile(), "rw")) {
            target.setLength(source.size());
            ByteBuffer block = ByteBuffer.allocate(BLOCK);
            for (long at = 0; source.read(block.clear()) > 0; at += block.limit()) {
                block.flip();
                if (block.mismatch(NOTHING.slice(0, block.limit())) >= 0) {
                    target.getChannel().write(block, at);
                    block.rewind();
                }
            }
        }
    }

    /** Deletes the directory if it exists. */
    static void delete(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        List<Path> all;
        try (Stream<Path> files = Files.walk(directory)) {
            all = files.sorted(Comparator.reverseOrder()).toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        for (Path each : all) {
            Files.deleteIfExists(each);
        }
    }
}
