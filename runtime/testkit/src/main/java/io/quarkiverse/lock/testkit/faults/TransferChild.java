package io.quarkiverse.lock.testkit.faults;

import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.testkit.process.ChildMain;
import io.smallrye.mutiny.Uni;

/**
 * Moves amounts between accounts that several JVMs share, in a memory-mapped file. Its changes to an account are not atomic:
 * only the locks of the two accounts keep the sum constant.
 */
public final class TransferChild implements ChildMain {

    private @Nullable LockManager locks;
    private @Nullable MappedByteBuffer accounts;
    private String prefix = "";

    /** The class of the {@link ChildBackend}, the owner, the file, the prefix of names, and the backend's arguments. */
    @Override
    public void start(String[] arguments, Child child) throws Exception {
        // Loads its plug-ins at first use, which is not safe when two threads do it at once
        Uni.createFrom().item(() -> true).await().indefinitely();
        var factory = (ChildBackend) Class.forName(arguments[0]).getDeclaredConstructor().newInstance();
        List<String> rest = Arrays.asList(arguments).subList(4, arguments.length);
        locks = LockEngine.builder(factory.backend(arguments[1], rest)).start().manager(ManagerDefaults.STANDARD);
        accounts = map(Path.of(arguments[2]));
        prefix = arguments[3];
    }

    static MappedByteBuffer map(Path file) throws Exception {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return channel.map(FileChannel.MapMode.READ_WRITE, 0, channel.size());
        }
    }

    /** {@code millis threads seed}: returns how many transfers there were. */
    @Override
    public String handle(String request, Child child) throws Exception {
        String[] words = request.split(" ");
        long end = System.nanoTime() + Long.parseLong(words[0]) * 1_000_000;
        int threads = Integer.parseInt(words[1]);
        int seed = Integer.parseInt(words[2]);
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Callable<Integer>> tasks = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                var random = new SplittableRandom(seed * 1_000L + i);
                tasks.add(() -> transfers(random, end));
            }
            int transfers = 0;
            for (Future<Integer> each : pool.invokeAll(tasks)) {
                transfers += each.get();
            }
            return "" + transfers;
        } finally {
            pool.shutdownNow();
        }
    }

    private int transfers(SplittableRandom random, long end) {
        int count = accounts.capacity() / Long.BYTES;
        int transfers = 0;
        while (System.nanoTime() < end) {
            int from = random.nextInt(count);
            int to = random.nextInt(count);
            try (LockHandle both = locks.all(prefix + from, prefix + to).acquire()) {
                if (from != to) {
                    move(from, to, random.nextInt(10));
                }
                if (!both.isValid()) {
                    throw new IllegalStateException("Lost while it was used: " + both);
                }
                transfers++;
            }
        }
        return transfers;
    }

    private void move(int from, int to, long amount) {
        long left = accounts.getLong(from * Long.BYTES) - amount;
        long more = accounts.getLong(to * Long.BYTES) + amount;
        Thread.yield();
        accounts.putLong(from * Long.BYTES, left);
        accounts.putLong(to * Long.BYTES, more);
    }
}
