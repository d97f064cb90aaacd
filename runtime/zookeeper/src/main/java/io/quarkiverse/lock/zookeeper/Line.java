package io.quarkiverse.lock.zookeeper;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Who stands where, by the names of a path's children: the lower number comes first. The servers give numbers by counting a
 * path's children in 32 bits, so they are compared as what goes round.
 * <p>
 * Of those who are counted as many hold the lock as the smallest limit among them allows. They are all in front: nobody
 * overtakes one for whom there is no room yet.
 */
final class Line {

    private final LockNodes nodes;

    Line(LockNodes nodes) {
        this.nodes = nodes;
    }

    /**
     * Where a node stands.
     *
     * @param here whether it is there at all
     * @param before the nearest of those that it has to wait for; {@code null} when it holds the lock
     * @param first who came first of all
     * @param behind how many came later and do not share it; not asked for by one that is counted
     * @param full what keeps it out is how many are before it: any of them may make room, not only the nearest
     */
    record Place(boolean here, @Nullable String before, @Nullable String first, int behind, boolean full) {

        private static final Place ALONE = new Place(true, null, null, 0, false);

        boolean holds() {
            return here && before == null;
        }
    }

    /** @throws ForeignNodeException if a child is of another kind of lock, or of something else */
    Place place(List<String> children, String own) {
        if (children.size() == 1 && children.get(0).equals(own)) {
            return Place.ALONE;
        }
        int ownAt = numberAt(own);
        int ownNumber = number(own, ownAt);
        int ownLimit = nodes.limit(own, ownAt);
        boolean sharing = nodes.shares(own, ownAt);
        boolean here = false;
        String before = null;
        int beforeNumber = 0;
        String first = null;
        int firstNumber = 0;
        int behind = 0;
        int counted = 0;
        int room = ownLimit;
        for (String child : children) {
            int at = numberAt(child);
            int number = number(child, at);
            if (first == null || number - firstNumber < 0) {
                first = child;
                firstNumber = number;
            }
            int limit = ownLimit > 0 ? nodes.limit(child, at) : 0;
            if (child.equals(own)) {
                here = true;
            } else if (number - ownNumber >= 0) {
                behind += sharing && nodes.shares(child, at) ? 0 : 1;
            } else if (limit > 0) {
                counted++;
                room = Math.min(room, limit);
            } else if (!(sharing && nodes.shares(child, at)) && (before == null || number - beforeNumber > 0)) {
                before = child;
                beforeNumber = number;
            }
        }
        boolean full = ownLimit > 0 && before == null && counted >= room;
        return new Place(here, full ? first : before, first, ownLimit > 0 ? 0 : behind, full);
    }

    /** Those who hold the lock: the first, and who shares it with them. What is of another kind does not count. */
    List<String> holders(List<String> children) {
        List<String> sorted = new ArrayList<>(children);
        sorted.removeIf(child -> !ours(child));
        sorted.sort((a, b) -> number(a, nodes.numberAt(a)) - number(b, nodes.numberAt(b)));
        int end = Math.max(sharingAtFront(sorted), countedAtFront(sorted));
        return sorted.subList(0, end == 0 ? Math.min(1, sorted.size()) : end);
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

    /** Whether there is anybody who would not share it. */
    boolean anyAlone(List<String> children) {
        for (String child : children) {
            if (ours(child) && !nodes.shares(child, nodes.numberAt(child))) {
                return true;
            }
        }
        return false;
    }

    int count(List<String> children) {
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

    private static int number(String child, int at) {
        return (int) Long.parseLong(child, at, child.length(), 10);
    }

    /** A child that is no node of a lock of this kind. */
    static final class ForeignNodeException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        ForeignNodeException(String child) {
            super(child, null, false, false);
        }
    }
}
