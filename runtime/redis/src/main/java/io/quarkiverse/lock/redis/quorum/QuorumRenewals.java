package io.quarkiverse.lock.redis.quorum;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.redis.script.RedisFailure;
import io.quarkiverse.lock.redis.script.Script;
import io.quarkiverse.lock.redis.script.ScriptArguments;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.spi.Outcome;
import io.quarkiverse.lock.spi.Renewal;
import io.vertx.redis.client.Response;

/**
 * Renews grants at all servers, many in one call: a renewal by a majority counts from before the first request was sent. Event
 * loop only.
 */
final class QuorumRenewals {

    private static final int BATCH = 250;
    /**
     * {@code quorum-renew.lua} adds this if the release is requested. If a majority knows of the request, each majority that
     * renews includes a server that does.
     */
    private static final int ASKED = 2;
    private static final int OTHERS_WAIT = 4;
    /** Under contention most grants are given back sooner, so no server is asked about them. */
    private static final long SOON = TimeUnit.MILLISECONDS.toNanos(100);

    private final QuorumServers servers;
    private final QuorumKeys keys;
    private final LockTime time;
    private final Claims claims;
    private final Reminders reminders;

    QuorumRenewals(QuorumServers servers, QuorumKeys keys, LockTime time, Claims claims) {
        this.servers = servers;
        this.keys = keys;
        this.time = time;
        this.claims = claims;
        this.reminders = new Reminders(keys);
    }

    /** @param exactly whether they must end no later than their lease says, even if they would have lasted longer */
    void renew(List<QuorumGrant> grants, boolean exactly, Outcome<Renewal> outcome) {
        if (grants.isEmpty()) {
            outcome.complete(new Renewal(List.of(), List.of(), List.of()));
            return;
        }
        new Run(grants, exactly, Long.MAX_VALUE, outcome).send();
    }

    /**
     * Tells servers that lack the grant about it before its next renewal: by then, a server that has it may be lost. All other
     * findings are left to that renewal. This does not extend the grant, which may be one that is not renewed.
     */
    void remindSoon(QuorumGrant grant) {
        if (grant.remindedSoon) {
            return;
        }
        grant.remindedSoon = true;
        servers.after(SOON, () -> {
            grant.remindedSoon = false;
            long left = grant.sentAt() + grant.grantedNanos() - time.nanoTime();
            if (claims.keeps(grant) && !grant.endsEarlier && grant.written < servers.all().size()
                    && left >= grant.leaseNanos() / 2) {
                new Run(List.of(grant), false, left, null).send();
            }
        });
    }

    /**
     * A server that does not have a grant.
     *
     * @param millis when the server said so, by its clock
     */
    private record Gap(QuorumServer server, int grant, long millis) {
    }

    private final class Run {

        private final List<QuorumGrant> grants;
        private final boolean exactly;
        private final long atMostNanos;
        private final @Nullable Outcome<Renewal> outcome;
        private final int[] renewed;
        private final int[] lost;
        private final boolean[] exact;
        private final int[] numbers;
        /** How much news of waiters had come before this renewal: if none has come since, nobody waits. */
        private final int[] waiterNews;
        private final List<Gap> gaps = new ArrayList<>(0);
        private final long sentAt = time.nanoTime();
        /** How many calls each server has not answered yet. */
        private final int[] open;
        private int undecided;
        private boolean sending = true;
        private boolean impatient;

        /**
         * @param atMostNanos the longest to renew for, whatever their leases
         * @param outcome {@code null} if nobody needs it
         */
        Run(List<QuorumGrant> grants, boolean exactly, long atMostNanos, @Nullable Outcome<Renewal> outcome) {
            this.grants = grants;
            this.exactly = exactly;
            this.atMostNanos = atMostNanos;
            this.outcome = outcome;
            renewed = new int[grants.size()];
            lost = new int[grants.size()];
            exact = new boolean[grants.size()];
            numbers = new int[grants.size()];
            waiterNews = new int[grants.size()];
            open = new int[servers.all().size()];
            undecided = grants.size();
            for (int i = 0; i < exact.length; i++) {
                QuorumGrant grant = grants.get(i);
                waiterNews[i] = grant.waiterNews;
                exact[i] = exactly || grant.endsEarlier;
                grant.endsEarlier = exact[i]; // until a majority has it
                // One that nobody relies on does not take the place of one before it
                numbers[i] = outcome == null ? grant.leaseRequests : ++grant.leaseRequests;
            }
        }

        void send() {
            for (QuorumServer server : servers.all()) {
                send(server, 0, grants.size(), BATCH);
            }
            sending = false;
            decide();
        }

        private void send(QuorumServer server, int from, int to, int size) {
            for (int i = from; i < to; i += size) {
                open[server.index]++;
                server.send(new Renew(server, i, Math.min(i + size, to)));
            }
        }

        private void ended(QuorumServer server) {
            open[server.index]--;
            decide();
        }

        /** Grants that a majority has decided do not wait long for a hanging server on which other grants depend. */
        private void decide() {
            if (sending) {
                return;
            }
            long silent = Arrays.stream(open).filter(calls -> calls > 0).count();
            if (silent == 0 || undecided == 0) {
                finish();
            } else if (!impatient && undecided < renewed.length && open.length - silent >= servers.majority()) {
                impatient = true;
                servers.after(servers.options().patienceNanos(), this::finish);
            }
        }

        /**
         * Once a majority has renewed a grant, nobody else can have the name for a lease. The answers may take a quarter of
         * that, and the reminder another quarter.
         */
        private void remind() {
            Map<QuorumServer, List<Gap>> found = gaps.stream()
                    .filter(gap -> kept(gap.grant) && claims.keeps(grants.get(gap.grant)))
                    .collect(Collectors.groupingBy(Gap::server));
            found.forEach((server, missing) -> {
                gaps.removeAll(missing);
                long quarter = missing.stream().mapToLong(gap -> grants.get(gap.grant).leaseNanos()).min().orElse(0) / 4;
                if (time.nanoTime() - sentAt < quarter) {
                    reminders.send(server, missing.stream().map(gap -> grants.get(gap.grant)).toList(),
                            missing.get(0).millis + TimeUnit.NANOSECONDS.toMillis(quarter));
                }
            });
        }

        private boolean kept(int i) {
            return renewed[i] >= servers.majority();
        }

        private boolean gone(int i) {
            return servers.all().size() - lost[i] < servers.majority();
        }

        private void finish() {
            if (outcome == null || outcome.over()) {
                return;
            }
            var kept = new ArrayList<QuorumGrant>();
            var gone = new ArrayList<QuorumGrant>();
            var unknown = new ArrayList<QuorumGrant>();
            for (int i = 0; i < renewed.length; i++) {
                QuorumGrant grant = grants.get(i);
                if (kept(i)) {
                    grant.endsEarlier &= !exact[i];
                    if (grant.waiterNews == waiterNews[i]) {
                        claims.waiters(grant, false);
                    }
                    kept.add(grant);
                } else if (gone(i)) {
                    claims.forget(grant);
                    gone.add(grant);
                } else {
                    unknown.add(grant);
                }
            }
            outcome.complete(new Renewal(kept, gone, unknown));
        }

        private final class Renew extends ServerCall {

            private final int from;
            private final int to;

            Renew(QuorumServer server, int from, int to) {
                super(server, Script.QUORUM_RENEW);
                this.from = from;
                this.to = to;
            }

            @Override
            public List<String> keys() {
                var all = new ArrayList<String>(to - from);
                for (int i = from; i < to; i++) {
                    all.add(keys.key(grants.get(i).name()));
                }
                return all;
            }

            @Override
            public List<String> args() {
                var all = new ArrayList<String>(2 + 3 * (to - from));
                all.add(keys.retention());
                all.add(keys.channel().name());
                for (int i = from; i < to; i++) {
                    QuorumGrant grant = grants.get(i);
                    all.add(grant.claim().token());
                    all.add((exact[i] ? "-" : "")
                            + ScriptArguments.millis(Math.min(grant.leaseNanos(), atMostNanos)));
                    all.add(String.valueOf(numbers[i]));
                }
                return all;
            }

            @Override
            public void answered(Response reply) {
                for (int i = from; i < to; i++) {
                    boolean before = kept(i) || gone(i);
                    int said = reply.get(i - from).toInteger();
                    if (said > 0) {
                        renewed[i]++;
                        if ((said & ASKED) != 0) {
                            claims.releaseRequested(grants.get(i));
                        }
                        if ((said & OTHERS_WAIT) != 0) {
                            claims.waiters(grants.get(i), true);
                        }
                    } else {
                        lost[i]++;
                        if (!exact[i]) {
                            gaps.add(new Gap(server, i, reply.get(to - from).toLong()));
                        }
                    }
                    if (!before && (kept(i) || gone(i))) {
                        undecided--;
                    }
                }
                if (!gaps.isEmpty()) {
                    remind();
                }
                ended(server);
            }

            @Override
            public void failed(RedisFailure failure) {
                if (failure.ofRecord() && to - from > 1) {
                    // One key with unexpected content must not cost the others their locks.
                    send(server, from, to, 1);
                }
                ended(server);
            }
        }
    }
}
