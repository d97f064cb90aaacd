package io.quarkiverse.lock.jpa.table;

/**
 * Those who share a name, as the database counts them: a claim that joins a thousand readers reads no more than one that joins
 * the first.
 *
 * @param count how many there are
 * @param smallest the smallest limit of them, where that of a reader is 0
 * @param greatest the greatest limit of them
 * @param firstEnd when the first of their grants ends; 0 if there are none
 * @param lastEnd when the last of them ends; 0 if there are none
 */
public record Sharers(int count, int smallest, int greatest, long firstEnd, long lastEnd) {

    static final Sharers NONE = new Sharers(0, 0, 0, 0, 0);

    boolean anyEndedBy(long time) {
        return count > 0 && firstEnd <= time;
    }

    public boolean anyReads() {
        return count > 0 && smallest == 0;
    }

    /**
     * Whether such a claim may join them. The smallest limit counts, its own or a holder's: while nodes disagree, no holder
     * gets more company than its limit allows.
     */
    public boolean admit(String mode, int limit) {
        return count == 0 || like(mode) && (mode.equals("S") || count < smallest(limit));
    }

    /** Whether all of them are of this mode, which may be shared. */
    boolean like(String mode) {
        return switch (mode) {
            case "S" -> greatest == 0;
            case "L" -> !anyReads();
            default -> false;
        };
    }

    int smallest(int limit) {
        return count == 0 ? limit : Math.min(limit, smallest);
    }
}
