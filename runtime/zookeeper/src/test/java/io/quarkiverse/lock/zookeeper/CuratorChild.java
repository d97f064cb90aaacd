package io.quarkiverse.lock.zookeeper;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;

import io.quarkiverse.lock.testkit.process.ChildMain;
import io.quarkiverse.lock.zookeeper.nodes.LockNodes;

/**
 * A JVM with nothing of ours, only Curator and its recipes. A recipe's lock belongs to a thread: one request takes it, waits
 * for {@code release}, and gives it back.
 */
public final class CuratorChild implements ChildMain {

    private final Map<String, CountDownLatch> held = new ConcurrentHashMap<>();
    private CuratorFramework client;
    private LockNodes nodes;

    @Override
    public void start(String[] arguments, Child child) {
        client = Clients.started(arguments[0], Duration.ofSeconds(120));
        nodes = LockNodes.valueOf(arguments[1]);
    }

    /** {@code hold <millis> <path>}: whether it held the lock, once that is released; {@code release 0 <path>}. */
    @Override
    public String handle(String request, Child child) throws Exception {
        String[] words = request.split(" ", 3);
        String path = words[2];
        var released = held.computeIfAbsent(path, any -> new CountDownLatch(1));
        if (words[0].equals("release")) {
            released.countDown();
            return "";
        }
        InterProcessLock recipe = nodes == LockNodes.MUTEX ? new InterProcessMutex(client, path)
                : new InterProcessReadWriteLock(client, path).writeLock();
        if (!recipe.acquire(Long.parseLong(words[1]), TimeUnit.MILLISECONDS)) {
            held.remove(path);
            return "false";
        }
        child.event("has " + path);
        released.await();
        held.remove(path);
        recipe.release();
        child.event("gave " + path);
        return "true";
    }
}
