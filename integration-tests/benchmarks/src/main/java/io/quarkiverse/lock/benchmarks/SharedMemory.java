package io.quarkiverse.lock.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** What several JVMs protect together: a count, and who counted last, in a file that all of them map into memory. */
final class SharedMemory implements Guarded {

    private static final int COUNT = 0;
    private static final int LAST = 8;

    private final MappedByteBuffer memory;
    private final long jvm;

    /** @param jvm a different number for each, from 1 */
    SharedMemory(Path file, long jvm) {
        this.jvm = jvm;
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            memory = channel.map(MapMode.READ_WRITE, 0, 16);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public boolean touch() {
        memory.putLong(COUNT, memory.getLong(COUNT) + 1);
        long last = memory.getLong(LAST);
        memory.putLong(LAST, jvm);
        return last != jvm && last != 0;
    }

    @Override
    public long count() {
        return memory.getLong(COUNT);
    }
}
