package io.quarkiverse.lock.redis.topology;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.redis.script.Call;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/** Which node of a cluster has which slot, as {@code host:port}. Immutable. */
final class SlotTable {

    private static final int SLOTS = 16_384;
    static final SlotTable EMPTY = new SlotTable(new String[SLOTS]);

    private final @Nullable String[] owners;

    private SlotTable(@Nullable String[] owners) {
        this.owners = owners;
    }

    @Nullable
    String owner(int slot) {
        return owners[slot];
    }

    Set<String> owners() {
        var all = new HashSet<String>();
        for (String owner : owners) {
            if (owner != null) {
                all.add(owner);
            }
        }
        return all;
    }

    /** Whether every slot has a node. */
    boolean complete() {
        return !Arrays.asList(owners).contains(null);
    }

    /** Whether a slot that had a node has another one now. */
    boolean movedFrom(SlotTable former) {
        for (int slot = 0; slot < SLOTS; slot++) {
            if (former.owners[slot] != null && !Objects.equals(former.owners[slot], owners[slot])) {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SlotTable table && Arrays.equals(owners, table.owners);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(owners);
    }

    SlotTable with(int slot, String owner) {
        if (owner.equals(owners[slot])) {
            return this;
        }
        @Nullable
        String[] changed = owners.clone();
        changed[slot] = owner;
        return new SlotTable(changed);
    }

    /** The node at {@code address}, which may be a port alone: then it is on the host of the node that says so. */
    static String address(String address, String said) {
        return address.lastIndexOf(':') == 0 || address.startsWith("?:")
                ? said.substring(0, said.lastIndexOf(':')) + address.substring(address.indexOf(':'))
                : address;
    }

    /** Asks one node. */
    abstract static class Ask extends Call {

        private final String node;

        Ask(String node) {
            this.node = node;
        }

        abstract void known(SlotTable table);

        @Override
        public final Request request() {
            return Request.cmd(Command.CLUSTER).arg("SLOTS");
        }

        /** A list of: first slot, last slot, master, replicas; a node is a list that begins with host and port. */
        @Override
        public final void answered(Response reply) {
            @Nullable
            String[] owners = new String[SLOTS];
            for (Response range : reply) {
                Response master = range.get(2);
                String host = master.get(0) == null ? "" : master.get(0).toString();
                String owner = address(host + ":" + master.get(1).toInteger(), node);
                Arrays.fill(owners, range.get(0).toInteger(), range.get(1).toInteger() + 1, owner);
            }
            known(new SlotTable(owners));
        }
    }
}
