package io.quarkiverse.lock.redis.quorum;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.redis.script.RedisFailure;
import io.quarkiverse.lock.redis.script.Script;
import io.quarkiverse.lock.spi.Outcome;
import io.quarkiverse.lock.spi.support.ListedNames;
import io.vertx.redis.client.Response;

/**
 * Finds the names of one page in steps of {@code SCAN}, on one server after another until a majority has been scanned, and asks
 * all servers who has each name. A name is reported where it is found first: a later server skips it if an earlier one has had
 * it since before it was scanned. Each command is short, since all others wait for it. A page ends after a step, at the latest
 * when it has taken long. It does without a server that is away or hangs. Event loop only.
 */
final class QuorumListing {

    /** How many buckets of the database's table one command looks at: some 0.1 ms. */
    private static final int MOST_BUCKETS = 100;
    /** The most commands for one page; keys that belong to no lock are skipped. */
    private static final int MOST_SCANS = 64;
    /** The most names asked for at the same time: other calls of this JVM use the same connections. */
    private static final int IN_FLIGHT = 32;

    private final QuorumServers servers;
    private final QuorumKeys keys;
    private final QuorumErrors errors;
    private final QuorumState state;
    private final ListedNames listed;
    private final LockQuery query;
    private final Outcome<LockQuery.Page> outcome;
    private final long timeoutNanos;
    /** For the whole page, whatever it asks for. */
    private final long deadline;
    private final Map<String, LockInfo> locks = new LinkedHashMap<>();
    /** What is wrong with the servers that are no longer asked for this page. */
    private final Map<QuorumServer, String> away = new LinkedHashMap<>(0);
    private final Map<Poll, Long> polls = new LinkedHashMap<>();
    private @Nullable ListPosition position;
    private int scans;
    private int found;

    QuorumListing(QuorumServers servers, QuorumKeys keys, QuorumErrors errors, ListedNames listed, LockQuery query,
            Outcome<LockQuery.Page> outcome) {
        this.servers = servers;
        this.keys = keys;
        this.errors = errors;
        this.state = new QuorumState(servers.all().size(), servers.majority());
        this.listed = listed;
        this.query = query;
        this.outcome = outcome;
        this.timeoutNanos = servers.options().operationTimeout().toNanos();
        this.deadline = System.nanoTime() + timeoutNanos;
    }

    void begin() {
        position = ListPosition.of(query.continuation(), servers.all().size());
        if (position == null) {
            outcome.fail(ListedNames.foreignContinuation("in this quorum of Redis servers"));
            return;
        }
        watch();
        scan(position);
    }

    private void scan(ListPosition at) {
        QuorumServer server = next(at);
        if (server == null) {
            outcome.fail(errors.tooFew(ListedNames.of(query), away));
            return;
        }
        var scan = new Scan(server, at);
        // One that hangs leaves time for another one
        scan.deadline = Math.min(deadline, System.nanoTime() + timeoutNanos / 4);
        server.send(scan);
    }

    private @Nullable QuorumServer next(ListPosition at) {
        for (QuorumServer server : servers.all()) {
            if (server.index == at.server() && !away.containsKey(server)) {
                return server;
            }
        }
        at.giveUp();
        for (QuorumServer server : servers.all()) {
            if (!at.hasEnded(server.index) && !away.containsKey(server)) {
                return server;
            }
        }
        return null;
    }

    private void isAway(QuorumServer server, String why) {
        away.putIfAbsent(server, why);
    }

    private void scanned(ListPosition at, QuorumServer server, Response reply) {
        String run = reply.get(0).toString();
        if (at.hasEnded(run)) {
            isAway(server, errors.lookedThrough()); // under another place among the servers, in another JVM
            scan(at);
            return;
        }
        at.step(server.index, run, reply.get(1).toString(), Long.parseLong(reply.get(3).toString()));
        Set<String> names = new LinkedHashSet<>();
        for (Response key : reply.get(2)) {
            String name = keys.name(key.toString());
            if (name != null && name.startsWith(query.prefix()) && !locks.containsKey(name)) {
                names.add(name);
            }
        }
        found += names.size();
        new Batch(at, names.iterator()).begin();
    }

    /** The names of one step. */
    private final class Batch {

        private final ListPosition at;
        private final Iterator<String> left;
        private int open = 1;

        Batch(ListPosition at, Iterator<String> left) {
            this.at = at;
            this.left = left;
        }

        void begin() {
            for (int i = 0; i < IN_FLIGHT && left.hasNext(); i++) {
                ask();
            }
            ended();
        }

        private void ask() {
            open++;
            var asked = new ArrayList<>(servers.all());
            asked.removeAll(away.keySet());
            String name = left.next();
            var poll = new Poll(Script.QUORUM_INSPECT, name, keys.ofName(name), List.of(keys.retention()), errors, each -> {
                polls.remove(each);
                judge(at, each);
                if (left.hasNext() && !outcome.over()) {
                    ask();
                }
                ended();
            });
            polls.put(poll, System.nanoTime());
            poll.send(asked, deadline);
        }

        private void ended() {
            if (--open == 0 && !outcome.over()) {
                looked(at);
            }
        }
    }

    private void judge(ListPosition at, Poll poll) {
        if (outcome.over()) {
            return;
        }
        if (poll.replies().size() < servers.majority()) {
            var why = new LinkedHashMap<>(away);
            why.putAll(poll.failures());
            var tooFew = errors.tooFew(poll.name(), why);
            if (poll.replies().size() + poll.unreadable() >= servers.majority()) {
                listed.leftOut(tooFew);
            } else {
                outcome.fail(tooFew);
            }
            return;
        }
        try {
            if (!toldBefore(at, poll)) {
                state.of(poll.name(), poll.replies()).ifPresent(lock -> locks.put(lock.name(), lock));
            }
        } catch (RuntimeException e) {
            listed.leftOut(errors.unreadable(poll.name(), e));
        }
    }

    /** Whether a server that was already scanned has had the name all the time. */
    private boolean toldBefore(ListPosition at, Poll poll) {
        for (ListPosition.Look look : at.ended()) {
            Response reply = poll.reply(servers.all().get(look.server()));
            if (reply != null && QuorumState.held(reply) && QuorumState.knownSince(reply) < look.since()) {
                return true;
            }
        }
        return false;
    }

    private void looked(ListPosition at) {
        if (at.cursor().equals(ListPosition.START)) {
            at.end();
            if (at.ended().size() >= servers.majority()) {
                finish(Optional.empty());
                return;
            }
        }
        // Half a page is enough: filling it would take smaller and smaller steps
        if (2 * found < query.pageSize() && ++scans < MOST_SCANS && !late()) {
            scan(at);
        } else {
            finish(Optional.of(query.withContinuation(at.toString())));
        }
    }

    private boolean late() {
        return deadline - System.nanoTime() < timeoutNanos * 2 / 3;
    }

    private void finish(Optional<LockQuery> next) {
        outcome.complete(new LockQuery.Page(List.copyOf(locks.values()), next));
    }

    /** A server that hangs holds up only the names that are asked for now. */
    private void watch() {
        servers.after(servers.options().patienceNanos(), () -> {
            long longAgo = System.nanoTime() - servers.options().patienceNanos();
            for (Poll poll : List.copyOf(polls.keySet())) {
                Long since = polls.get(poll);
                if (since != null && since - longAgo < 0 && poll.replies().size() >= servers.majority()) {
                    poll.asked().stream().filter(server -> !poll.hasAnswered(server))
                            .forEach(server -> isAway(server, errors.hangs(server)));
                    poll.end();
                }
            }
            if (!outcome.over()) {
                watch();
            }
        });
    }

    /** One step. */
    private final class Scan extends ServerCall {

        private final ListPosition at;

        Scan(QuorumServer server, ListPosition at) {
            super(server, Script.QUORUM_SCAN);
            this.at = at;
        }

        @Override
        public List<String> keys() {
            return List.of();
        }

        @Override
        public List<String> args() {
            int buckets = Math.max(1, Math.min(MOST_BUCKETS, query.pageSize() - found));
            return List.of(at.cursor(), at.run(), keys.pattern(query.prefix()), String.valueOf(buckets));
        }

        @Override
        public void answered(Response reply) {
            try {
                scanned(at, server, reply);
            } catch (RuntimeException e) {
                outcome.fail(errors.unreadable(ListedNames.of(query), e));
            }
        }

        @Override
        public void failed(RedisFailure failure) {
            isAway(server, errors.failure(server, failure));
            if (!outcome.over()) {
                scan(at);
            }
        }
    }
}
