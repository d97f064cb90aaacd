package io.quarkiverse.lock.it.faults.lab;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.BackendListener;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.spi.Renewal;
import io.smallrye.mutiny.Uni;

/** A backend with a {@link Mutant}'s defect: the engine sees something else than what it does. */
final class MutantBackend implements LockBackend {

    private static final long LONGER = 4;
    private static final long RENEWAL = 300_000_000;

    /** The grant as the engine sees it. */
    private static final class Seen extends Grant {
        final Grant real;

        Seen(Grant real, long fence, long sentAt) {
            super(real.claim(), fence, sentAt, real.grantedNanos(), real.provisional());
            this.real = real;
        }
    }

    private final LockBackend healthy;
    private final Mutant mutant;
    private final Map<Grant, Seen> seen = new ConcurrentHashMap<>();
    private final Map<String, Long> fences = new ConcurrentHashMap<>();
    private @Nullable LockTime time;

    MutantBackend(LockBackend healthy, Mutant mutant) {
        this.healthy = healthy;
        this.mutant = mutant;
    }

    LockBackend healthy() {
        return healthy;
    }

    @Override
    public String name() {
        return healthy.name();
    }

    @Override
    public void start(BackendListener listener, LockTime time) {
        this.time = time;
        healthy.start(new BackendListener() {
            @Override
            public void suspect(Grant grant) {
                Seen known = seen.get(grant);
                listener.suspect(known == null ? grant : known);
            }

            @Override
            public void lost(Grant grant, String reason) {
                Seen known = seen.get(grant);
                // Some backends watch the ends of their leases themselves: a mutant that ignores losses ignores that report too
                if (mutant != Mutant.IGNORE_LOSS && mutant != Mutant.BATON_PAST_DEADLINE) {
                    listener.lost(known == null ? grant : known, reason);
                }
            }

            @Override
            public void waiters(Grant grant, boolean some) {
                Seen known = seen.get(grant);
                listener.waiters(known == null ? grant : known, some);
            }

            @Override
            public void releaseRequested(Grant grant) {
                Seen known = seen.get(grant);
                listener.releaseRequested(known == null ? grant : known);
            }

            @Override
            public void recheck() {
                listener.recheck();
            }
        }, time);
    }

    @Override
    public Uni<Answer> acquire(Claim claim) {
        return healthy.acquire(claim).map(answer -> answer instanceof Grant grant ? see(grant) : answer);
    }

    private Seen see(Grant real) {
        long fence = mutant == Mutant.REUSE_FENCE ? reused(real) : real.fence();
        long sentAt = real.sentAt();
        if (mutant == Mutant.NO_CHECK_AFTER_WAIT) {
            sentAt = time.nanoTime();
        } else if (mutant == Mutant.BATON_PAST_DEADLINE) {
            sentAt += real.claim().leaseNanos() * LONGER;
        }
        var grant = new Seen(real, fence, sentAt);
        seen.put(real, grant);
        return grant;
    }

    /** Every other grant of a name reuses the previous token of this JVM. */
    private long reused(Grant real) {
        Long before = fences.remove(real.name());
        if (before == null) {
            fences.put(real.name(), real.fence());
            return real.fence();
        }
        return before;
    }

    @Override
    public Uni<Renewal> renew(List<? extends Grant> grants) {
        if (mutant == Mutant.BATON_PAST_DEADLINE) {
            // It is valid for long, so there is nothing to renew
            return Uni.createFrom().item(new Renewal(List.of(), List.of(), grants));
        }
        List<Grant> real = new ArrayList<>();
        for (Grant each : grants) {
            Grant inner = ((Seen) each).real;
            inner.leaseNanos(each.leaseNanos());
            real.add(inner);
        }
        return healthy.renew(real).map(renewal -> {
            renewal.renewed().forEach(each -> each.confirmed(time.nanoTime()));
            List<Grant> renewed = seen(renewal.renewed());
            List<Grant> lost = seen(renewal.lost());
            if (mutant == Mutant.IGNORE_LOSS) {
                renewed.addAll(lost);
                lost = List.of();
            }
            return new Renewal(renewed, lost, seen(renewal.unknown()));
        });
    }

    private List<Grant> seen(List<? extends Grant> grants) {
        var all = new ArrayList<Grant>();
        grants.forEach(each -> all.add(seen.get(each)));
        return all;
    }

    @Override
    public Uni<Void> release(Grant grant) {
        Grant real = ((Seen) grant).real;
        if (mutant == Mutant.RENEW_RELEASED) {
            renewForEver(real);
            return Uni.createFrom().voidItem();
        }
        Uni<Void> release = healthy.release(real).invoke(() -> seen.remove(real));
        return mutant == Mutant.RELEASE_ANYBODYS
                ? release.chain(() -> healthy.forceRelease(grant.name())).replaceWithVoid()
                : release;
    }

    private void renewForEver(Grant real) {
        healthy.renew(List.of(real)).subscribe().with(renewal -> {
            if (renewal.lost().isEmpty()) {
                time.schedule(RENEWAL, () -> renewForEver(real));
            }
        }, failure -> {
        });
    }

    @Override
    public void contended(Grant grant) {
        healthy.contended(((Seen) grant).real);
    }

    @Override
    public boolean tellsOfWaiters() {
        return healthy.tellsOfWaiters();
    }

    @Override
    public Uni<LockQuery.Page> list(LockQuery query) {
        return healthy.list(query);
    }

    @Override
    public Uni<Optional<LockInfo>> inspect(String name) {
        return healthy.inspect(name);
    }

    @Override
    public Uni<Boolean> requestRelease(String name) {
        return healthy.requestRelease(name);
    }

    @Override
    public Uni<Boolean> forceRelease(String name) {
        return healthy.forceRelease(name);
    }

    @Override
    public Set<Feature> features() {
        return healthy.features();
    }

    @Override
    public Duration operationTimeout() {
        return healthy.operationTimeout();
    }

    @Override
    public void close() {
        healthy.close();
    }
}
