package io.quarkiverse.lock.zookeeper.query;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.data.Stat;

/**
 * A client for one list: a reply that is too large costs this connection, not that of all locks that this JVM holds. Requests
 * go out without waiting for earlier replies.
 */
final class ListClient {

    /** A node's data, and when it was made. */
    record Content(byte[] data, Stat stat) {
    }

    private final ZooKeeper zk;
    private final long deadline;

    /**
     * @param config of the client that the locks use
     * @param deadline for everything, by {@code System.nanoTime}
     */
    ListClient(String servers, int sessionMillis, ZKClientConfig config, long deadline) throws IOException {
        this.zk = new ZooKeeper(servers, sessionMillis, event -> {
            // failed requests tell enough
        }, config);
        this.deadline = deadline;
    }

    ZooKeeper zk() {
        return zk;
    }

    /** Later answers are at least as recent as the leader's state now. */
    void sync(String path) {
        zk.sync(path, null, null);
    }

    CompletableFuture<List<String>> children(String path) {
        var answer = new CompletableFuture<List<String>>();
        zk.getChildren(path, false, (int rc, String at, Object ctx, List<String> children) -> settle(answer, rc, at, children),
                null);
        return answer;
    }

    CompletableFuture<Content> content(String path) {
        var answer = new CompletableFuture<Content>();
        zk.getData(path, false, (rc, at, ctx, data, stat) -> settle(answer, rc, at, new Content(data, stat)), null);
        return answer;
    }

    private static <T> void settle(CompletableFuture<T> answer, int rc, String path, T result) {
        if (rc == Code.OK.intValue()) {
            answer.complete(result);
        } else {
            answer.completeExceptionally(KeeperException.create(Code.get(rc), path));
        }
    }

    /** @throws TimeoutException if there is no answer until the deadline */
    <T> T await(CompletableFuture<T> answer) throws KeeperException, InterruptedException, TimeoutException {
        try {
            return answer.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (java.util.concurrent.ExecutionException e) {
            if (e.getCause() instanceof KeeperException refused) {
                throw refused;
            }
            throw new IllegalStateException(e.getCause());
        }
    }

    void close() {
        try {
            zk.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
