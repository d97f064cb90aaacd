package io.quarkiverse.lock.it.faults.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Says which of several servers is the master, to all JVMs: what an address that moves stands for. */
record MovingEndpoint(Path file) implements AutoCloseable {

    /** At the first of them. */
    static MovingEndpoint create() {
        try {
            var endpoint = new MovingEndpoint(Files.createTempFile("redis-endpoint-", ""));
            endpoint.moveTo(0);
            return endpoint;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The number of the server; in any JVM. */
    int at() {
        try {
            return Integer.parseInt(Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** In one step: nobody reads half of it. */
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
