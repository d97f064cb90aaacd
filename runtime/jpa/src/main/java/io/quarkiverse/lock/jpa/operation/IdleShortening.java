package io.quarkiverse.lock.jpa.operation;

import java.util.List;

import io.quarkiverse.lock.jpa.claim.JpaGrant;
import io.quarkiverse.lock.spi.Renewal;

/**
 * Shortens the lease of a grant that nobody holds. It runs on a separate thread: a burst of idle grants would keep the renewal
 * thread from held locks, and workers from requests. That is safe only because nothing but a release is requested for such a
 * grant before the answer. Shortening a grant that is held stays in line with the renewals; otherwise it could arrive after one
 * that was sent later.
 */
public final class IdleShortening extends NamedOperation<Renewal> {

    private final JpaGrant grant;
    private final LeaseRenewal shortening;

    /** @param shortening for this grant alone, on connections that a worker may use */
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
        if (grant.releaseTried || deadline - System.nanoTime() <= 0) { // it is being released, or was
            return new Renewal(List.of(), List.of(), List.of(grant));
        }
        return shortening.run(deadline);
    }
}
