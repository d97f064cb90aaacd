package io.quarkiverse.lock.engine;

import java.util.List;

import org.jboss.logging.Logger;

import io.quarkiverse.lock.engine.queue.Claims;
import io.quarkiverse.lock.engine.queue.IdleReleases;
import io.quarkiverse.lock.engine.queue.Lingering;
import io.quarkiverse.lock.engine.queue.NameTable;
import io.quarkiverse.lock.engine.queue.Renewals;
import io.quarkiverse.lock.spi.LockBackend;

/**
 * Prepares an engine for a checkpoint of its process, from which many copies may be restored. Nothing is kept for the next
 * caller from then until the restore: each copy would give it to a caller of its own.
 */
final class Checkpoint {

    private static final Logger LOG = Logger.getLogger(Checkpoint.class);

    private final NameTable names;
    private final Lingering lingering;
    private final IdleReleases idle;
    private final Renewals renewals;
    private final LockBackend backend;
    private final Claims claims;

    Checkpoint(NameTable names, Lingering lingering, IdleReleases idle, Renewals renewals, LockBackend backend,
            Claims claims) {
        this.names = names;
        this.lingering = lingering;
        this.idle = idle;
        this.renewals = renewals;
        this.backend = backend;
        this.claims = claims;
    }

    void before() {
        lingering.pause();
        names.await(backend.operationTimeout(), idle::none);
        List<String> kept = idle.left();
        if (!kept.isEmpty()) {
            LOG.warnf("%d lock(s) that nobody holds could not be given back before a checkpoint and become free "
                    + "when their leases end: %s", kept.size(), Shutdown.some(kept));
        }
        claims.close(); // so that a restored process, of which there may be many, need not create them
    }

    void after() {
        renewals.recheckBeforeUse();
        lingering.resume();
    }
}
