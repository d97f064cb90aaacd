package io.quarkiverse.lock.redis.topology;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.redis.connection.CommandConnection;
import io.quarkiverse.lock.redis.connection.EventLoop;
import io.quarkiverse.lock.redis.script.Call;
import io.quarkiverse.lock.redis.script.RedisFailure;
import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.quarkiverse.lock.redis.script.ScriptCall;

/**
 * A Redis Cluster: a call goes to the node that has the slot of its name, over separate connections to each node. So a node
 * that hangs or dies affects only the names that lie there, and calls for one name keep their order.
 *
 * <p>
 * Asks any node who has which slot whenever there is a reason: a node becomes reachable or unreachable, sends a call on
 * (MOVED), or is cut off from the others (CLUSTERDOWN), which are asked then. Meanwhile a call may go to the wrong node, which
 * says where it belongs. Event loop only.
 */
public final class ClusterRoute extends CommandRoute {

    /** Notified of events of the cluster as a whole. */
    interface Watcher extends CommandConnection.Watcher {

        /** Some names lie elsewhere now, on a node that may know less about them. */
        void slotsMoved();
    }

    private static final Logger LOG = Logger.getLogger(ClusterRoute.class);

    private static final int REDIRECTS = 8;
    private static final long ASK_AGAIN = TimeUnit.MILLISECONDS.toNanos(500);

    private final EventLoop loop;
    private final ClusterClients clients;
    private final RedisLockOptions options;
    private final Watcher watcher;
    private final Map<String, SingleServer> nodes = new HashMap<>();
    /** As the cluster said when it was last asked. */
    private SlotTable told = SlotTable.EMPTY;
    /** The same with what was learnt since. */
    private SlotTable slots = SlotTable.EMPTY;
    /** These may not know who has replaced them, so others are asked, if any can be reached. */
    private final Set<String> cutOff = new HashSet<>();
    private boolean asking;
    private boolean later;
    private boolean closed;

    ClusterRoute(EventLoop loop, ClusterClients clients, RedisLockOptions options, Watcher watcher) {
        this.loop = loop;
        this.clients = clients;
        this.options = options;
        this.watcher = watcher;
    }

    @Override
    public void open() {
        clients.seeds().forEach(this::node);
    }

    @Override
    public void send(Call call) {
        String owner = call instanceof ScriptCall script ? slots.owner(slot(script)) : null;
        node(owner != null ? owner : someNode()).send(call);
    }

    /** Asks the cluster, since what was learnt in passing covers only some slots, and may be old. */
    @Override
    void masters(long deadline, Consumer<Masters> found, Consumer<RedisFailure> unknown) {
        if (up().isEmpty()) {
            unknown.accept(RedisFailure.notSent("No node of the cluster can be reached", null));
            return;
        }
        String node = someNode();
        var ask = new SlotTable.Ask(node) {
            @Override
            public void known(SlotTable table) {
                if (!table.equals(told)) {
                    look();
                }
                if (table.complete()) {
                    found.accept(new Masters(table.owners().stream().sorted().toList(),
                            Integer.toHexString(table.hashCode())));
                } else {
                    unknown.accept(RedisFailure.notSent("The nodes of the cluster do not say which node has which slot", null));
                }
            }

            @Override
            public void failed(RedisFailure failure) {
                unknown.accept(failure);
            }
        };
        ask.deadline = deadline;
        node(node).send(ask);
    }

    @Override
    void sendTo(String master, Call call) {
        node(master).send(call);
    }

    @Override
    public void close() {
        closed = true;
        List.copyOf(nodes.values()).forEach(SingleServer::close);
    }

    /** To all nodes. */
    @Override
    List<CommandConnection> connections() {
        return nodes.values().stream().flatMap(node -> node.connections().stream()).toList();
    }

    /**
     * Any node; a reachable one, if there is one, and among these one that is not cut off. Messages are heard on all of them.
     */
    String someNode() {
        List<String> up = up();
        List<String> joined = up.stream().filter(each -> !cutOff.contains(each)).toList();
        List<String> choice = !joined.isEmpty() ? joined : !up.isEmpty() ? up : clients.seeds();
        return choice.get(ThreadLocalRandom.current().nextInt(choice.size()));
    }

    private List<String> up() {
        return nodes.entrySet().stream().filter(each -> each.getValue().up()).map(Map.Entry::getKey).toList();
    }

    private static int slot(ScriptCall call) {
        return slot(call.keys().get(0));
    }

    public static int slot(String key) {
        return HashSlot.of(key);
    }

    private SingleServer node(String address) {
        SingleServer node = nodes.get(address);
        if (node == null) {
            node = new SingleServer(loop, vertx -> clients.client(vertx, address), options, new NodeEvents(address));
            nodes.put(address, node);
            if (closed) {
                node.close();
            } else {
                node.open();
            }
        }
        return node;
    }

    /** Asks for the slots, and again in a while until all is well. */
    private void look() {
        if (asking || closed) {
            return;
        }
        if (up().isEmpty()) {
            // All addresses may have changed.
            open();
            lookLater();
            return;
        }
        asking = true;
        String node = someNode();
        node(node).send(new SlotTable.Ask(node) {
            @Override
            public void known(SlotTable table) {
                asking = false;
                take(table);
            }

            @Override
            public void failed(RedisFailure failure) {
                asking = false;
                LOG.debugf("Node %s does not say which node has which slot: %s", node, failure.getMessage());
                lookLater();
            }
        });
    }

    private void lookLater() {
        if (!later && !closed) {
            later = true;
            loop.after(ASK_AGAIN, () -> {
                later = false;
                look();
            });
        }
    }

    private void take(SlotTable table) {
        boolean moved = table.movedFrom(told);
        told = table;
        slots = table;
        var owners = new HashSet<>(table.owners());
        owners.forEach(this::node);
        if (!later) {
            // No look is due because of them any more; an owner that still is cut off says so again when it is called
            cutOff.removeAll(owners);
        }
        nodes.forEach((address, node) -> {
            if (!owners.contains(address)) {
                // Calls in flight there must get their answers.
                loop.after(options.operationTimeout().toNanos(), () -> leave(address, node));
            }
        });
        if (moved) {
            LOG.debug("Slots of the Redis Cluster have moved; all locks are checked");
            watcher.slotsMoved();
        }
        if (!table.complete() || owners.stream().anyMatch(each -> !node(each).up())) {
            lookLater();
        }
    }

    private void leave(String address, SingleServer node) {
        if (!slots.owners().contains(address) && nodes.remove(address, node)) {
            cutOff.remove(address);
            node.close();
        }
    }

    private final class NodeEvents implements CommandConnection.Watcher {

        private final String address;

        NodeEvents(String address) {
            this.address = address;
        }

        @Override
        public void commandsReachedAtLast() {
            watcher.commandsReachedAtLast();
        }

        @Override
        public void commandsUp(CommandConnection connection, boolean again) {
            look();
            watcher.commandsUp(connection, again);
        }

        @Override
        public void commandsDown(Throwable cause) {
            if (nodes.containsKey(address)) {
                watcher.commandsDown(new IllegalStateException(address + ": " + cause.getMessage(), cause));
                lookLater();
            }
        }

        @Override
        public void commandsUnreachable(Throwable cause) {
            if (nodes.containsKey(address)) {
                watcher.commandsUnreachable(new IllegalStateException(address + ": " + cause.getMessage(), cause));
                lookLater();
            }
        }

        @Override
        public boolean redirected(Call call, RedisFailure refusal) {
            if (refusal.code().equals("CLUSTERDOWN")) {
                cutOff();
            }
            String target = target(refusal);
            if (target == null || call.redirects >= REDIRECTS) {
                return false;
            }
            call.redirects++;
            call.behindAsking = refusal.code().equals("ASK");
            if (!call.behindAsking && call instanceof ScriptCall script) {
                slots = slots.with(slot(script), target);
                look();
            }
            node(target).send(call);
            return true;
        }

        /** Another node is asked, even if it has said the same before: all of them do as long as a slot has no node. */
        private void cutOff() {
            cutOff.add(address);
            if (cutOff.containsAll(up())) {
                cutOff.retainAll(Set.of(address));
            }
            lookLater();
        }

        /** {@code MOVED 3999 127.0.0.1:6381}; without a host it is that of the node which says it. */
        private @Nullable String target(RedisFailure refusal) {
            if (!refusal.code().equals("MOVED") && !refusal.code().equals("ASK")) {
                return null;
            }
            String[] words = String.valueOf(refusal.getMessage()).split(" ");
            return words.length < 3 ? null : SlotTable.address(words[2], address);
        }
    }
}
