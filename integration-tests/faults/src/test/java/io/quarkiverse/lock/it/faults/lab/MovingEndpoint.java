package io.quarkiverse.lock.it.faults.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Tells all JVMs which of several servers is the master: a stand-in for an address that moves. */
record MovingEndpoint(Path file) implements AutoCloseable {

    /** Starts at the first of them. */
    static MovingEndpoint create() {
        try {
            var endpoint = new MovingEndpoint(Files.createTempFile("redis-endpoint-", ""));
            endpoint.moveTo(0);
            return endpoint;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The number of the server; works in any JVM. */
    int at() {
        try {
            return Integer.parseInt(Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Atomic: nobody reads half of it. */
    void moveTo(int server) {
        try {
            Path written = Files.writeString(file.resolveSibling(file.getFileName() + ".new"), Integer.toString(server));
            Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
