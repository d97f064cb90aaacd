package io.quarkiverse.lock.jpa.operation;

import java.util.List;

import io.quarkiverse.lock.jpa.claim.JpaGrant;
import io.quarkiverse.lock.spi.Renewal;

/**
 * Has the database keep a grant for less that nobody holds. On a thread of its own: as many as become idle at once would keep
 * the thread of renewals from what is held, and workers from what is asked for. Only because nothing but the release is asked
 * for such a grant before the answer: what becomes shorter while somebody holds it stays in line with the renewals, or it could
 * come after one that was sent later.
 */
public final class IdleShortening extends NamedOperation<Renewal> {

    private final JpaGrant grant;
    private final LeaseRenewal shortening;

    /** @param shortening of this grant alone, on connections that a worker may use */
    public IdleShortening(OperationRunner runner, JpaGrant grant, LeaseRenewal shortening) {
        super(runner, grant.name(), grant.id());
        this.grant = grant;
        this.shortening = shortening;
    }

    @Override
    void submit(Runnable step, Runnable refused) {
        runner.submitIdle(id, step, refused);
    }

    @Override
    public Renewal run(long deadline) {
        if (grant.releaseTried || deadline - System.nanoTime() <= 0) { // it is given back, or was
            return new Renewal(List.of(), List.of(), List.of(grant));
        }
        return shortening.run(deadline);
    }
}
