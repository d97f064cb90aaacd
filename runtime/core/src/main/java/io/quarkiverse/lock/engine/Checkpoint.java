package io.quarkiverse.lock.engine;

import java.util.List;
import java.util.stream.Stream;

import org.jboss.logging.Logger;

import io.quarkiverse.lock.engine.acquire.OneStepAcquireAll;
import io.quarkiverse.lock.engine.queue.Claims;
import io.quarkiverse.lock.engine.queue.IdleReleases;
import io.quarkiverse.lock.engine.queue.Lingering;
import io.quarkiverse.lock.engine.queue.NameTable;
import io.quarkiverse.lock.engine.queue.Releases;
import io.quarkiverse.lock.engine.queue.Renewals;
import io.quarkiverse.lock.spi.LockBackend;

/**
 * Prepares an engine for a checkpoint of its process, from which many copies may be restored. Nothing is kept for the next
 * caller from then until the restore: each copy would give it to a caller of its own. Nothing is claimed either: each copy
 * would be granted what one of them has asked for.
 */
final class Checkpoint {

    private static final Logger LOG = Logger.getLogger(Checkpoint.class);

    private final NameTable names;
    private final Lingering lingering;
    private final IdleReleases idle;
    private final Releases releases;
    private final Renewals renewals;
    private final LockBackend backend;
    private final Claims claims;
    private final OneStepAcquireAll together;

    Checkpoint(NameTable names, Lingering lingering, IdleReleases idle, Releases releases, Renewals renewals,
            LockBackend backend, Claims claims, OneStepAcquireAll together) {
        this.names = names;
        this.lingering = lingering;
        this.idle = idle;
        this.releases = releases;
        this.renewals = renewals;
        this.backend = backend;
        this.claims = claims;
        this.together = together;
    }

    void before() {
        lingering.pause();
        claims.pause();
        together.withdrawAll();
        backend.beforeCheckpoint();
        names.await(backend.operationTimeout(), () -> idle.none() && releases.nothingUnwanted());
        List<String> left = Stream.concat(idle.left().stream(), releases.unwanted().stream()).toList();
        if (!left.isEmpty()) {
            LOG.warnf("%d lock(s) that nobody holds could not be given back before a checkpoint and become free "
                    + "when their leases end: %s", left.size(), Shutdown.some(left));
        }
        claims.close(); // so that a restored process, of which there may be many, need not create them
    }

    void after() {
        renewals.recheckBeforeUse();
        try {
            backend.afterRestore();
        } finally { // or callers would be held back for ever
            lingering.resume();
            claims.resume();
        }
    }
}
