package io.quarkiverse.lock.redis;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the scripts must do with one name, in the simplest form: lists that are searched. */
final class NameModel {

    static final long CLAIM_LEASE = 3_000;
    static final long SEEN = 5_000;
    static final String HEARD = "heard";
    /** Instead of a claim. */
    private static final String FORCED_OUT = "!f";

    /** What a caller wants, whenever it asks. */
    record Asker(String claim, String mode, int limit, String channel, long lease) {
    }

    static final class Holder {
        final Asker asker;
        final long fence;
        String mode;
        String channel;
        long expiry;
        boolean kept;
        boolean asked;
        int lost;

        Holder(Asker asker, long fence, long expiry) {
            this.asker = asker;
            this.fence = fence;
            this.mode = asker.mode;
            this.channel = asker.channel;
            this.expiry = expiry;
        }
    }

    static final class Waiter {
        final Asker asker;
        long seen;

        Waiter(Asker asker) {
            this.asker = asker;
        }
    }

    final Map<String, Holder> holders = new LinkedHashMap<>();
    final Map<String, Waiter> waiters = new LinkedHashMap<>();
    final Map<String, Long> tombs = new HashMap<>();
    final List<String> messages = new ArrayList<>();
    long fence;
    private long micros;

    void at(long now) {
        micros = now;
        messages.clear();
    }

    private long now() {
        return micros / 1000;
    }

    private void dropExpired() {
        holders.values().removeIf(each -> each.expiry <= now());
    }

    Holder live(String claim) {
        Holder found = holders.get(claim);
        return found == null || found.expiry <= now() ? null : found;
    }

    List<Holder> live() {
        return holders.values().stream().filter(each -> each.expiry > now()).toList();
    }

    boolean refused(String claim) {
        Holder mine = live(claim);
        return tombs.getOrDefault(claim, 0L) > now() || mine != null && mine.kept;
    }

    private boolean fits(Asker asker) {
        List<Holder> live = live();
        if (live.isEmpty()) {
            return true;
        }
        if (asker.mode.equals("X") || live.stream().anyMatch(each -> !each.mode.equals(asker.mode))) {
            return false;
        }
        int limit = live.stream().mapToInt(each -> each.asker.limit).reduce(asker.limit, Math::min);
        return asker.mode.equals("S") || live.size() < limit;
    }

    private Holder grant(Asker asker, long lease) {
        fence = Math.max(fence + 1, micros);
        var holder = new Holder(asker, fence, now() + lease);
        holders.put(asker.claim, holder);
        return holder;
    }

    private void dispatch(String asking) {
        while (!waiters.isEmpty() && live().stream().noneMatch(each -> each.mode.equals("X"))) {
            Waiter head = waiters.values().iterator().next();
            Asker asker = head.asker;
            boolean asks = asker.claim.equals(asking);
            if (!asks && head.seen <= now()) {
                waiters.remove(asker.claim);
                continue;
            }
            if (!fits(asker)) {
                head.seen = Math.min(head.seen, now() + SEEN); // the clock may have been set back
                return;
            }
            waiters.remove(asker.claim);
            boolean told = !asks && !asker.channel.isEmpty();
            if (!told || asker.channel.equals(HEARD)) {
                grant(asker, asks ? asker.lease : Math.min(CLAIM_LEASE, asker.lease));
                if (told) {
                    messages.add("G|" + asker.claim + "|" + fence + "|" + waiters.size());
                }
            }
        }
    }

    /** The first words of the reply. */
    List<Object> acquire(Asker asker, boolean waits) {
        if (refused(asker.claim)) {
            return List.of("GONE");
        }
        dropExpired();
        if (!holders.containsKey(asker.claim)) {
            dispatch(asker.claim);
        }
        Holder mine = holders.get(asker.claim);
        if (mine == null && waiters.isEmpty() && fits(asker)) {
            mine = grant(asker, asker.lease);
        }
        if (mine != null) {
            mine.expiry = Math.max(mine.expiry, now() + asker.lease);
            mine.channel = asker.channel;
            return List.of("GRANTED", "" + mine.fence, (long) waiters.size());
        }
        if (waits) {
            waiters.computeIfAbsent(asker.claim, claim -> new Waiter(asker)).seen = now() + SEEN;
        }
        return List.of(waits ? "QUEUED" : "BUSY", "" + fence, (long) waiters.size());
    }

    List<Object> release(String claim, long refuse) {
        dropExpired();
        String status = holders.remove(claim) != null ? "RELEASED" : waiters.remove(claim) != null ? "WITHDRAWN" : "ABSENT";
        return ended(claim, status, refuse);
    }

    List<Object> keep(String claim, long keep, long refuse) {
        dropExpired();
        Holder mine = holders.get(claim);
        if (mine != null) {
            mine.expiry = now() + keep;
            mine.kept = true;
        }
        return ended(claim, mine == null ? "ABSENT" : "KEPT", refuse == 0 ? 0 : Math.max(refuse, keep));
    }

    private List<Object> ended(String claim, String status, long refuse) {
        if (refuse > 0) {
            tombs.put(claim, now() + refuse);
        }
        dispatch(null);
        return List.of(status, (long) waiters.size());
    }

    /** @param lost how many requests to shorten its lease got no reply */
    long renew(String claim, long lease, int lost, String channel) {
        Holder mine = live(claim);
        if (mine == null || mine.kept) {
            return -1;
        }
        mine.expiry = lease < 0 && lost >= mine.lost ? now() - lease : Math.max(mine.expiry, now() + lease);
        mine.lost = Math.max(mine.lost, lost);
        if (!channel.isEmpty()) {
            mine.channel = channel;
        }
        return mine.asked ? -2 - waiters.size() : waiters.size();
    }

    List<Object> downgrade(String claim) {
        Holder mine = live(claim);
        if (mine == null || mine.kept) {
            return List.of("ABSENT");
        }
        dropExpired();
        if (mine.mode.equals("X")) {
            mine.mode = "S";
        }
        dispatch(null);
        return List.of("SHARED", (long) waiters.size());
    }

    List<Object> newest() {
        return List.of("NEWEST", (long) live().size(), "" + fence);
    }

    /** @param grace whether there may be one, so that what was taken is remembered */
    List<Object> force(long newest, boolean grace) {
        dropExpired();
        List<Holder> taken = holders.values().stream().filter(each -> each.fence <= newest).toList();
        if (!taken.isEmpty()) {
            fence = Math.max(fence + 1, micros);
            taken.stream().filter(each -> !each.kept && each.channel.equals(HEARD))
                    .forEach(each -> messages.add("L|" + each.asker.claim + "|" + each.fence));
            holders.values().removeAll(taken);
            if (grace) {
                taken.forEach(each -> tombs.merge(FORCED_OUT, each.expiry, Math::max));
            }
        }
        dispatch(null);
        return List.of("FORCED", (long) taken.size());
    }

    List<Object> ask() {
        dropExpired();
        long asked = 0;
        for (Holder each : holders.values()) {
            if (!each.kept) {
                asked++;
                each.asked = true;
                if (each.channel.equals(HEARD)) {
                    messages.add("A|" + each.asker.claim);
                }
            }
        }
        return List.of("ASKED", asked);
    }

    boolean mayJoin(Asker asker) {
        return !refused(asker.claim) && (live(asker.claim) != null || waiters.isEmpty() && fits(asker));
    }

    /** For one of several names: {@link #mayJoin} is true. */
    long join(Asker asker) {
        dropExpired();
        Holder mine = holders.get(asker.claim);
        if (mine == null) {
            return grant(asker, asker.lease).fence;
        }
        mine.expiry = Math.max(mine.expiry, now() + asker.lease);
        return mine.fence;
    }

    /** The latest of all times; 0 if there is none. */
    long latest() {
        long latest = fence / 1000;
        for (Holder each : live()) {
            latest = Math.max(latest, each.expiry);
        }
        for (Waiter each : waiters.values()) {
            latest = Math.max(latest, each.seen);
        }
        for (long each : tombs.values()) {
            latest = Math.max(latest, each);
        }
        return latest;
    }
}
