package io.quarkiverse.lock.testkit.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process is paused only when all its threads are, however many of them are runnable. */
class PauseTest {

    private static final int THREADS = 24;

    @TempDir
    Path folder;

    /** Counts in a file, with many threads. */
    public static class Counter implements ChildMain {

        @Override
        public void start(String[] arguments, Child child) throws Exception {
            MappedByteBuffer counts = map(Path.of(arguments[0]));
            for (int i = 0; i < THREADS; i++) {
                int at = i * Long.BYTES;
                var thread = new Thread(() -> {
                    for (long count = 1; true; count++) {
                        counts.putLong(at, count);
                    }
                });
                thread.setDaemon(true);
                thread.start();
            }
        }

        @Override
        public String handle(String request, Child child) {
            return request;
        }
    }

    @Test
    void pauseStopsAllThreads() throws Exception {
        Path file = folder.resolve("counts");
        Files.write(file, new byte[THREADS * Long.BYTES]);
        MappedByteBuffer counts = map(file);
        try (var child = ChildJvm.start(Counter.class, file.toString())) {
            for (int i = 0; i < 20; i++) {
                child.pause();
                long[] before = read(counts);
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
                assertThat(read(counts)).isEqualTo(before);
                child.resume();
                long[] paused = before;
                while (Arrays.equals(paused, read(counts))) {
                    Thread.onSpinWait();
                }
            }
        }
    }

    private static long[] read(MappedByteBuffer counts) {
        return IntStream.range(0, THREADS).mapToLong(i -> counts.getLong(i * Long.BYTES)).toArray();
    }

    private static MappedByteBuffer map(Path file) throws Exception {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return channel.map(FileChannel.MapMode.READ_WRITE, 0, channel.size());
        }
    }
}
