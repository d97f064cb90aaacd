package io.quarkiverse.lock.zookeeper.query;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.spi.Outcome;
import io.quarkiverse.lock.spi.support.ListedNames;
import io.quarkiverse.lock.zookeeper.errors.ErrorMessages;
import io.quarkiverse.lock.zookeeper.grant.HeldGrants;
import io.quarkiverse.lock.zookeeper.nodes.CreationOrder;
import io.quarkiverse.lock.zookeeper.nodes.NodeData;
import io.quarkiverse.lock.zookeeper.nodes.NodeOrder;
import io.quarkiverse.lock.zookeeper.nodes.NodePaths;
import io.quarkiverse.lock.zookeeper.nodes.ReplySize;
import io.quarkiverse.lock.zookeeper.session.Timers;

/**
 * Lists names through a separate client ({@link ListClient}). The servers return all children of a node in one reply or none,
 * so their number is asked first, and a list of too many is refused. The names are ordered here; a continuation is the encoded
 * name with which the previous page ended.
 */
public final class Listing {

    /** A reply of 1 MB, which clients and servers accept unless configured otherwise. */
    public static final int MOST_NAMES = 10_000;
    /** Precedes the encoded name in a continuation; other continuations do not have it. */
    private static final String MARK = "/";

    private final CuratorFramework curator;
    private final Consumer<ZooKeeper> login;
    private final String root;
    private final NodeOrder order;
    private final HeldGrants held;
    private final Timers timers;
    private final ErrorMessages errors;
    private final int mostNames;
    private final ListedNames listed = new ListedNames(Listing.class);

    /** @param login authenticates a new client at the servers */
    public Listing(CuratorFramework curator, Consumer<ZooKeeper> login, String root, NodeOrder order, HeldGrants held,
            Timers timers, ErrorMessages errors, int mostNames) {
        this.curator = curator;
        this.login = login;
        this.root = root;
        this.order = order;
        this.held = held;
        this.timers = timers;
        this.errors = errors;
        this.mostNames = mostNames;
    }

    /**
     * Blocks until the answer, or the deadline, and then until the client is closed. Not for a thread of a ZooKeeper client.
     *
     * @param deadline by {@code System.nanoTime}
     */
    void page(LockQuery query, long deadline, Outcome<LockQuery.Page> outcome) {
        ListClient client = null;
        try {
            String after = after(query.continuation());
            if (deadline - System.nanoTime() <= 0) {
                throw errors.unreachable(ListedNames.of(query), true); // others were listed before
            }
            var zk = curator.getZookeeperClient();
            client = new ListClient(zk.getCurrentConnectionString(), zk.getConnectionTimeoutMs(),
                    zk.getZooKeeper().getClientConfig(), deadline);
            login.accept(client.zk());
            outcome.complete(page(client, query, after));
        } catch (Throwable e) { // an error too: a new client starts threads, and there may be no more of them
            outcome.fail(explained(ListedNames.of(query), e));
        } finally {
            if (client != null) {
                client.close();
            }
        }
    }

    private Throwable explained(String names, Throwable failure) {
        if (failure instanceof KeeperException refused) {
            return errors.failure(names, refused.code().intValue(), refused.getPath());
        }
        if (failure instanceof TimeoutException) {
            return errors.unreachable(names, false);
        }
        if (failure instanceof InterruptedException) {
            return errors.closed(names);
        }
        return failure instanceof LockBackendException || failure instanceof IllegalArgumentException ? failure
                : errors.noList(names, failure);
    }

    private LockQuery.Page page(ListClient client, LockQuery query, String after)
            throws KeeperException, InterruptedException, TimeoutException {
        List<String> names = names(client, query, after);
        List<String> some = names.subList(0, Math.min(names.size(), query.pageSize()));
        Map<String, CompletableFuture<List<String>>> nodes = new LinkedHashMap<>();
        for (String each : listable(client, some)) {
            nodes.put(each, client.children(root + '/' + each));
        }
        List<Queue> queues = new ArrayList<>(some.size());
        for (String each : nodes.keySet()) {
            try {
                List<String> children = present(client, nodes.get(each));
                if (children != null && order.count(children) > 0) {
                    queues.add(queue(client, root + '/' + each, children));
                }
            } catch (KeeperException.NoAuthException e) {
                leaveOut(each, e);
            }
        }
        List<LockInfo> locks = new ArrayList<>(queues.size());
        for (Queue each : queues) {
            try {
                LockInfo info = info(client, each);
                if (info != null) {
                    locks.add(info);
                }
            } catch (KeeperException.NoAuthException e) {
                leaveOut(each.container().substring(root.length() + 1), e);
            }
        }
        return new LockQuery.Page(locks, some.size() == names.size() ? Optional.empty()
                : Optional.of(query.withContinuation(MARK + some.get(some.size() - 1))));
    }

    /** Those whose nodes fit into a reply: a larger one would end the connection, and with it the list of the others. */
    private List<String> listable(ListClient client, List<String> names)
            throws KeeperException, InterruptedException, TimeoutException {
        int most = ReplySize.mostNodes(client.zk().getClientConfig());
        List<CompletableFuture<ListClient.Content>> containers = new ArrayList<>(names.size());
        for (String each : names) {
            containers.add(client.content(root + '/' + each));
        }
        List<String> listable = new ArrayList<>(names.size());
        for (int i = 0; i < names.size(); i++) {
            try {
                ListClient.Content container = present(client, containers.get(i));
                int count = container == null ? 0 : container.stat().getNumChildren();
                if (count > most) {
                    listed.leftOut(errors.tooManyNodes(String.valueOf(NodePaths.decode(names.get(i))), count, most));
                } else if (count > 0) {
                    listable.add(names.get(i));
                }
            } catch (KeeperException.NoAuthException e) {
                leaveOut(names.get(i), e);
            }
        }
        return listable;
    }

    /** Somebody else's container must not hide the others. */
    private void leaveOut(String encoded, KeeperException why) {
        listed.leftOut(errors.failure(String.valueOf(NodePaths.decode(encoded)), why.code().intValue(), why.getPath()));
    }

    /** The encoded names after those of the page before. */
    private List<String> names(ListClient client, LockQuery query, String after)
            throws KeeperException, InterruptedException, TimeoutException {
        client.sync(root);
        ListClient.Content above = present(client, client.content(root));
        int count = above == null ? 0 : above.stat().getNumChildren();
        if (above == null || count == 0) {
            return List.of(); // nobody has locked anything yet
        }
        String format = NodePaths.unknownFormat(above.data());
        if (format != null) {
            throw errors.format(ListedNames.of(query), format);
        }
        if (count > mostNames) {
            throw errors.tooManyNames(ListedNames.of(query), count, mostNames);
        }
        List<String> all;
        try {
            all = client.await(client.children(root));
        } catch (KeeperException.ConnectionLossException e) {
            throw errors.tooLongNames(ListedNames.of(query), count, e);
        }
        return all.stream().filter(encoded -> encoded.compareTo(after) > 0 && asked(encoded, query)).sorted().toList();
    }

    /** @throws IllegalArgumentException if no page has ended there */
    private static String after(@Nullable String continuation) {
        if (continuation == null) {
            return "";
        }
        String encoded = continuation.startsWith(MARK) ? continuation.substring(MARK.length()) : "";
        String name = NodePaths.decode(encoded);
        if (encoded.isEmpty() || name == null || !NodePaths.encode(name).equals(encoded)) {
            throw ListedNames.foreignContinuation("in ZooKeeper");
        }
        return encoded;
    }

    private static boolean asked(String encoded, LockQuery query) {
        String name = NodePaths.decode(encoded);
        return name != null && name.startsWith(query.prefix());
    }

    /** Null if it has gone. */
    private static <T> @Nullable T present(ListClient client, CompletableFuture<T> answer)
            throws KeeperException, InterruptedException, TimeoutException {
        try {
            return client.await(answer);
        } catch (KeeperException.NoNodeException e) {
            return null;
        }
    }

    /** The nodes of a name in their order, with the data of the first of them, still in flight. */
    private record Queue(String container, List<String> nodes, List<String> holding, List<String> readersBehind,
            List<CompletableFuture<ListClient.Content>> contents) {
    }

    private Queue queue(ListClient client, String container, List<String> children)
            throws KeeperException, InterruptedException, TimeoutException {
        var ordered = new CompletableFuture<Queue>();
        order.read(client.zk(), container, children, new CreationOrder.Next() {
            @Override
            public void ordered(List<String> present, Map<String, Long> czxids) {
                ordered.complete(new Queue(container, order.sorted(present, czxids), order.holders(present, czxids),
                        order.readersBehindWriter(present, czxids), new ArrayList<>()));
            }

            @Override
            public void unordered(int rc, String path) {
                ordered.completeExceptionally(KeeperException.create(Code.get(rc), path));
            }
        });
        Queue queue = client.await(ordered);
        int holders = queue.holding().size() + queue.readersBehind().size();
        for (String node : queue.nodes().subList(0,
                Math.min(queue.nodes().size(), holders + NodeFindings.MOST_WAITERS))) {
            queue.contents().add(client.content(container + '/' + node));
        }
        return queue;
    }

    private @Nullable LockInfo info(ListClient client, Queue queue)
            throws KeeperException, InterruptedException, TimeoutException {
        String name = NodePaths.decode(queue.container().substring(root.length() + 1));
        var findings = new NodeFindings(String.valueOf(name), queue.container(), order, held, timers);
        boolean sharing = false;
        int holders = 0;
        int gone = 0;
        for (int i = 0; i < queue.contents().size(); i++) {
            String node = queue.nodes().get(i);
            ListClient.Content content = present(client, queue.contents().get(i));
            if (content == null) {
                gone++;
                continue;
            }
            sharing |= i == 0 && NodeData.of(content.data()).shared();
            if (queue.holding().contains(node) || sharing && queue.readersBehind().contains(node)) {
                findings.holder(node, content.data(), content.stat());
                holders++;
            } else {
                findings.waiter(node, content.data(), content.stat());
            }
        }
        int waiters = queue.nodes().size() - holders - gone;
        return holders == 0 && waiters == 0 ? null : findings.info(waiters);
    }
}
