package io.quarkiverse.lock.redis.quorum;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.WaitNotes;
import io.vertx.redis.client.Response;

/**
 * Who has a name and who waits for it, by the reply of {@code quorum-inspect.lua} from each server: any claim that would have a
 * majority if the servers that have not answered agreed.
 */
final class QuorumState {

    private final int servers;
    private final int majority;

    QuorumState(int servers, int majority) {
        this.servers = servers;
        this.majority = majority;
    }

    /** Empty when nobody has the name or waits for it. */
    Optional<LockInfo> of(String name, Collection<Response> replies) {
        Response holder = holder(replies);
        List<LockInfo.Waiter> waiting = waiting(replies, holder == null ? "" : holder.get(2).toString());
        int waiters = Math.max(waiting.size(), waiters(replies));
        if (holder == null && waiters == 0) {
            return Optional.empty();
        }
        return Optional.of(new LockInfo(name, holder == null ? List.of() : List.of(described(holder)), waiters, waiting));
    }

    /** The reply about the claim that has the name under a fence; {@code null} if none has. */
    @Nullable
    Response holder(Collection<Response> replies) {
        Map<String, Integer> votes = new HashMap<>(4);
        for (Response reply : replies) {
            if (held(reply)) {
                votes.merge(reply.get(2).toString(), 1, Integer::sum);
            }
        }
        Response found = null;
        for (Response reply : replies) {
            if (held(reply) && !reply.get(3).toString().isEmpty() && enough(votes.get(reply.get(2).toString()), replies)) {
                found = reply;
            }
        }
        return found;
    }

    /** Whether somebody has the name at this server, or reserves it. */
    static boolean held(Response reply) {
        return reply.size() > 2;
    }

    /** Since when that server has known of it, by its clock in ms. */
    static long knownSince(Response reply) {
        return Long.parseLong(reply.get(7).toString());
    }

    static LockInfo.Holder described(Response reply) {
        return new LockInfo.Holder(reply.get(4).toString(), Grant.firstToken(Long.parseLong(reply.get(3).toString())),
                LockMode.EXCLUSIVE, 0, Duration.ofMillis(reply.get(5).toLong()), Duration.ofMillis(reply.get(6).toLong()));
    }

    /** Of replies of {@code quorum-line.lua}. */
    WaitNotes.Line line(Collection<Response> replies) {
        Map<String, Integer> votes = new HashMap<>();
        Map<String, WaitNotes.Waiter> waiters = new LinkedHashMap<>();
        for (Response reply : replies) {
            for (Response each : reply.get(1)) {
                String claim = each.get(0).toString();
                votes.merge(claim, 1, Integer::sum);
                waiters.putIfAbsent(claim, new WaitNotes.Waiter(claim, Long.parseLong(each.get(1).toString()),
                        each.get(2).toString(), each.get(3).toString()));
            }
        }
        waiters.keySet().removeIf(claim -> !enough(votes.get(claim), replies));
        Response holder = holder(replies);
        List<WaitNotes.Holder> holders = holder == null ? List.of()
                : List.of(new WaitNotes.Holder(Long.parseLong(holder.get(3).toString()), LockMode.EXCLUSIVE, 0));
        return new WaitNotes.Line(holders, new ArrayList<>(waiters.values()));
    }

    /** Whether this many votes may be a majority. */
    boolean enough(int votes, Collection<Response> replies) {
        return votes + servers - replies.size() >= majority;
    }

    /**
     * The first in line. A claim that is asking right now keeps its place only where others are in its way.
     *
     * @param holder the claim that has the name; not a waiter, although it may still have a place where others were in its way
     */
    private List<LockInfo.Waiter> waiting(Collection<Response> replies, String holder) {
        Map<String, Integer> votes = new HashMap<>(0);
        Map<String, Response> places = new LinkedHashMap<>(0);
        for (Response reply : replies) {
            for (Response place : reply.get(1)) {
                String claim = place.get(0).toString();
                votes.merge(claim, 1, Integer::sum);
                places.putIfAbsent(claim, place);
            }
        }
        var waiting = new ArrayList<LockInfo.Waiter>(places.size());
        places.forEach((claim, place) -> {
            if (!claim.equals(holder) && enough(votes.get(claim), replies)) {
                waiting.add(new LockInfo.Waiter(place.get(2).toString(), LockMode.EXCLUSIVE, 0,
                        Duration.ofMillis(place.get(1).toLong())));
            }
        });
        waiting.sort(Comparator.comparing(LockInfo.Waiter::waitingFor).reversed());
        return waiting;
    }

    /** The number of waiters that a majority may have, if that is more than the replies name. */
    private int waiters(Collection<Response> replies) {
        int[] counts = new int[servers];
        int i = 0;
        boolean more = false;
        for (Response reply : replies) {
            counts[i] = reply.get(0).toInteger();
            more |= counts[i] > reply.get(1).size();
            i++;
        }
        if (!more) {
            return 0;
        }
        Arrays.sort(counts, 0, i);
        return counts[i - Math.min(i, Math.max(1, majority - (servers - i)))];
    }
}
