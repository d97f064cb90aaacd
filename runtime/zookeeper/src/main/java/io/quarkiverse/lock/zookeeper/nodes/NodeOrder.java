package io.quarkiverse.lock.zookeeper.nodes;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * The order of the nodes of a name: the lower sequence number comes first. The servers number nodes by counting all children
 * that a path ever had, in 32 bits. At the end of the counter they give every node the last number, or a few numbers wrap
 * around first; servers before 3.6 wrap around. So numbers are compared modulo 2^32, and from the last number on, nodes are
 * ordered by their {@code czxid}.
 * <p>
 * Nodes with a limit hold the lock together, as many as the smallest limit among them allows. The holders are always the first
 * ones: no node overtakes one for which there is no room yet.
 */
public final class NodeOrder {

    /** The servers pad a number with zeros to this many digits. */
    private static final int DIGITS = 10;

    private final LockNodes nodes;

    public NodeOrder(LockNodes nodes) {
        this.nodes = nodes;
    }

    /**
     * The place of a node in the queue.
     *
     * @param here whether the node exists
     * @param before the nearest node that it must wait for, with a limit the one right before it; {@code null} if it holds the
     *        lock
     * @param first the first node of all
     * @param behind how many later nodes do not share the lock with it; 0 for a node with a limit
     * @param next whether it is the first with a limit that waits for room, which any of the nodes before it may make; or
     *        whether the one before it will not tell when it gets in
     * @param followed whether it and the node right behind it both have a limit: that one wants to know when it gets in
     */
    public record Place(boolean here, @Nullable String before, @Nullable String first, int behind, boolean next,
            boolean followed) {

        private static final Place ALONE = new Place(true, null, null, 0, false, false);
        private static final Place ABSENT = new Place(false, null, null, 0, false, false);

        public boolean holds() {
            return here && before == null;
        }
    }

    /** Calls {@code next} when the order of the children is known: at once if their numbers order them all. */
    public void read(ZooKeeper zk, String container, List<String> children, CreationOrder.Next next) {
        List<String> unnumbered = unnumbered(children);
        if (unnumbered.isEmpty()) {
            next.ordered(children, Map.of());
        } else {
            CreationOrder.read(zk, container, children, unnumbered, next);
        }
    }

    /** The nodes that are ordered by {@link CreationOrder}, not by their numbers; none if there is only one of them. */
    List<String> unnumbered(List<String> children) {
        if (children.size() < 2) {
            return List.of();
        }
        List<String> unnumbered = null;
        for (String child : children) {
            int at = nodes.numberAt(child);
            if (at >= 0 && isNumber(child, at) && exhausted(number(child, at))) {
                if (unnumbered == null) {
                    unnumbered = new ArrayList<>();
                }
                unnumbered.add(child);
            }
        }
        return unnumbered == null || unnumbered.size() < 2 ? List.of() : unnumbered;
    }

    /**
     * @param czxids of the {@link #unnumbered}
     * @throws ForeignNodeException if a child is not a node of this kind
     */
    public Place place(List<String> children, Map<String, Long> czxids, String own) {
        if (children.size() == 1 && children.get(0).equals(own)) {
            return Place.ALONE;
        }
        if (!children.contains(own)) {
            return Place.ABSENT;
        }
        int ownAt = numberAt(own);
        int ownNumber = number(own, ownAt);
        if (nodes.limit(own, ownAt) > 0) {
            return placeWithLimit(children, czxids, own, ownAt, ownNumber);
        }
        boolean sharing = nodes.shares(own, ownAt);
        String before = null;
        int beforeNumber = 0;
        String first = null;
        int firstNumber = 0;
        int behind = 0;
        for (String child : children) {
            int at = numberAt(child);
            int number = number(child, at);
            if (first == null || compare(child, number, first, firstNumber, czxids) < 0) {
                first = child;
                firstNumber = number;
            }
            if (child.equals(own)) {
                continue;
            }
            if (compare(child, number, own, ownNumber, czxids) >= 0) {
                behind += sharing && nodes.shares(child, at) ? 0 : 1;
            } else if (!(sharing && nodes.shares(child, at)) && (before == null
                    || compare(child, number, before, beforeNumber, czxids) > 0)) {
                before = child;
                beforeNumber = number;
            }
        }
        return new Place(true, before, first, behind, false, false);
    }

    /**
     * A holder keeps the lock when others come or go: the nodes before it get fewer, and the smallest limit among them never
     * falls.
     */
    private Place placeWithLimit(List<String> children, Map<String, Long> czxids, String own, int ownAt, int ownNumber) {
        String first = own;
        int firstNumber = ownNumber;
        String nearest = null;
        int nearestNumber = 0;
        String follower = null;
        int followerNumber = 0;
        int counted = 0;
        int room = Integer.MAX_VALUE;
        boolean allCounted = true;
        for (String child : children) {
            int at = numberAt(child);
            if (child.equals(own)) {
                continue;
            }
            int number = number(child, at);
            if (compare(child, number, own, ownNumber, czxids) >= 0) {
                if (follower == null || compare(child, number, follower, followerNumber, czxids) < 0) {
                    follower = child;
                    followerNumber = number;
                }
                continue;
            }
            if (compare(child, number, first, firstNumber, czxids) < 0) {
                first = child;
                firstNumber = number;
            }
            if (nearest == null || compare(child, number, nearest, nearestNumber, czxids) > 0) {
                nearest = child;
                nearestNumber = number;
            }
            int limit = nodes.limit(child, at);
            allCounted &= limit > 0;
            counted++;
            room = Math.min(room, limit);
        }
        if (nearest == null || allCounted && counted < Math.min(room, nodes.limit(own, ownAt))) {
            return new Place(true, null, first, 0, false, follower != null && limit(follower) > 0);
        }
        boolean behindHolders = allCounted && counted - 1 < room;
        return new Place(true, nearest, first, 0, behindHolders || nodes.quiet(nearest, numberAt(nearest)), false);
    }

    /**
     * The holders: the first node, and those that share the lock with it. Nodes of another kind do not count.
     *
     * @param czxids of the {@link #unnumbered}
     */
    public List<String> holders(List<String> children, Map<String, Long> czxids) {
        List<String> sorted = sorted(children, czxids);
        return sorted.subList(0, atFront(sorted));
    }

    /** How many of these nodes hold the lock, if no writer lets readers in. */
    private int atFront(List<String> sorted) {
        int end = Math.max(sharingAtFront(sorted), countedAtFront(sorted));
        return end > 0 ? end : Math.min(sorted.size(), sorted.size() > 1 && alsoReads(sorted.get(0), sorted.get(1)) ? 2 : 1);
    }

    /** Whether both are the same holder's: a recipe's writer that reads as well has two nodes of one number. */
    private boolean alsoReads(String writer, String reader) {
        int number = number(writer, nodes.numberAt(writer));
        return shares(reader) && number(reader, nodes.numberAt(reader)) == number && !exhausted(number);
    }

    /**
     * The readers that hold the lock together with the first node if that is exclusive and its holder lets readers in; none if
     * it is not exclusive. A reader's node of the same holder is not among them: it is one of the {@link #holders}.
     *
     * @param czxids of the {@link #unnumbered}
     */
    public List<String> readersBehindWriter(List<String> children, Map<String, Long> czxids) {
        List<String> sorted = sorted(children, czxids);
        if (sorted.size() < 2 || shares(sorted.get(0)) || limit(sorted.get(0)) > 0) {
            return List.of();
        }
        List<String> behind = sorted.subList(atFront(sorted), sorted.size());
        return behind.subList(0, sharingAtFront(behind));
    }

    /**
     * The nodes of this kind, in their order.
     *
     * @param czxids of the {@link #unnumbered}
     */
    public List<String> sorted(List<String> children, Map<String, Long> czxids) {
        List<String> sorted = new ArrayList<>(children);
        sorted.removeIf(child -> !ours(child));
        sorted.sort((a, b) -> compare(a, number(a, nodes.numberAt(a)), b, number(b, nodes.numberAt(b)), czxids));
        return sorted;
    }

    private int sharingAtFront(List<String> sorted) {
        int end = 0;
        while (end < sorted.size() && nodes.shares(sorted.get(end), nodes.numberAt(sorted.get(end)))) {
            end++;
        }
        return end;
    }

    private int countedAtFront(List<String> sorted) {
        int room = Integer.MAX_VALUE;
        int end = 0;
        while (end < sorted.size()) {
            room = Math.min(room, nodes.limit(sorted.get(end), nodes.numberAt(sorted.get(end))));
            if (end >= room) {
                break;
            }
            end++;
        }
        return end;
    }

    /** Whether another node exists that does not share the lock. */
    public boolean anyAlone(List<String> children, String own) {
        for (String child : children) {
            if (!child.equals(own) && ours(child) && !nodes.shares(child, nodes.numberAt(child))) {
                return true;
            }
        }
        return false;
    }

    /** Whether the node is a reader's. */
    public boolean shares(String child) {
        return nodes.shares(child, nodes.numberAt(child));
    }

    /** The limit of a node; 0 if it has none. */
    public int limit(String child) {
        return nodes.limit(child, nodes.numberAt(child));
    }

    public int count(List<String> children) {
        int count = 0;
        for (String child : children) {
            if (ours(child)) {
                count++;
            }
        }
        return count;
    }

    private boolean ours(String child) {
        int at = nodes.numberAt(child);
        return at >= 0 && isNumber(child, at);
    }

    private int numberAt(String child) {
        int at = nodes.numberAt(child);
        if (at < 0 || !isNumber(child, at)) {
            throw new ForeignNodeException(child);
        }
        return at;
    }

    private static boolean isNumber(String child, int at) {
        int digits = at < child.length() && child.charAt(at) == '-' ? at + 1 : at;
        if (child.length() - digits < 9 || child.length() - digits > 10) {
            return false;
        }
        for (int i = digits; i < child.length(); i++) {
            if (child.charAt(i) < '0' || child.charAt(i) > '9') {
                return false;
            }
        }
        return true;
    }

    /** Of two nodes with one number, which only the holder of a recipe's write lock has, the writer's comes first. */
    private int compare(String child, int number, String other, int otherNumber, Map<String, Long> czxids) {
        if (exhausted(number) && exhausted(otherNumber) && !child.equals(other)) {
            return Long.compare(czxids.get(child), czxids.get(other));
        }
        return number == otherNumber ? Boolean.compare(shares(child), shares(other)) : number - otherNumber;
    }

    /** Whether the servers' counter had reached its end: later nodes may have the same number, or a lower one. */
    static boolean exhausted(int number) {
        return number == Integer.MAX_VALUE || number < 0;
    }

    /** Whether the number at the end of a node's path is below 10^9, as nearly all are. */
    public static boolean low(String path) {
        return path.charAt(path.length() - DIGITS) == '0';
    }

    /** @param at the index at which the number begins */
    static int number(String node, int at) {
        return (int) Long.parseLong(node, at, node.length(), 10);
    }

    /** A child that is not a lock node of this kind. */
    public static final class ForeignNodeException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        ForeignNodeException(String child) {
            super(child, null, false, false);
        }
    }
}
