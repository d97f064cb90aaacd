package io.quarkiverse.lock.engine;

import java.time.Duration;
import java.util.List;

import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.HeldLock;
import io.quarkiverse.lock.engine.lease.BackendNews;
import io.quarkiverse.lock.engine.lease.HeldLocks;
import io.quarkiverse.lock.engine.news.ErrorMessages;
import io.quarkiverse.lock.engine.queue.Admission;
import io.quarkiverse.lock.engine.queue.Claims;
import io.quarkiverse.lock.engine.queue.IdleReleases;
import io.quarkiverse.lock.engine.queue.Lingering;
import io.quarkiverse.lock.engine.queue.NameTable;
import io.quarkiverse.lock.engine.queue.Releases;
import io.quarkiverse.lock.engine.queue.Renewals;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.state.NameQueue;
import io.quarkiverse.lock.engine.state.Refusal;
import io.quarkiverse.lock.engine.thread.SpareThreads;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.text.PrintableName;

/**
 * Shuts down an engine, in this order: no new claims are made; waiters are sent away; kept grants go back, and holders are
 * asked to finish and may do so; non-waiting claims and releases under way get their answers; only then the backend's
 * connections close. A holder that still runs keeps its lease.
 */
final class Shutdown {

    private static final Logger LOG = Logger.getLogger(Shutdown.class);

    private final NameTable names;
    private final Admission admission;
    private final ErrorMessages errors;
    private final HeldLocks held;
    private final Renewals renewals;
    private final Releases releases;
    private final Lingering lingering;
    private final IdleReleases idle;
    private final BackendNews news;
    private final LockBackend backend;
    private final Claims claims;
    private final @Nullable SpareThreads spare;
    private final @Nullable SystemTime ownTime;

    /**
     * @param spare {@code null} if workers never run out
     * @param ownTime closed at the end; {@code null} if the engine does not own its time
     */
    Shutdown(NameTable names, Admission admission, ErrorMessages errors, HeldLocks held, Renewals renewals,
            Releases releases, Lingering lingering, IdleReleases idle, BackendNews news, LockBackend backend, Claims claims,
            @Nullable SpareThreads spare, @Nullable SystemTime ownTime) {
        this.names = names;
        this.admission = admission;
        this.errors = errors;
        this.held = held;
        this.renewals = renewals;
        this.releases = releases;
        this.lingering = lingering;
        this.idle = idle;
        this.news = news;
        this.backend = backend;
        this.claims = claims;
        this.spare = spare;
        this.ownTime = ownTime;
    }

    /** Asks the holders, since some would keep their locks until the application has stopped. */
    boolean drain(Duration grace) {
        admitNobody();
        news.allReleasesRequested();
        return names.await(grace, this::nothingHeldOrKept);
    }

    private void admitNobody() {
        names.beginToClose();
        for (NameQueue queue : names.all()) {
            for (LockHold first = queue.firstInLine(); first != null; first = queue.firstInLine()) {
                refuse(first);
            }
        }
        for (LockHold next = claims.nextHeldBack(); next != null; next = claims.nextHeldBack()) {
            refuse(next); // stopped between a checkpoint and the restore: nothing else answers it
        }
        lingering.endAll();
    }

    private void refuse(LockHold hold) {
        if (admission.giveUp(hold, Refusal.failed(errors.closing(hold.name())))) {
            hold.tellWaiter();
        }
    }

    /** A kept grant that goes back leaves its queue between the first look and the last one, or is seen there. */
    private boolean nothingHeldOrKept() {
        return idle.none() && names.nothingHeld() && idle.none();
    }

    void close() {
        if (names.closed()) {
            return;
        }
        admitNobody();
        // In this order: anything granted now goes back
        names.await(backend.operationTimeout(), () -> names.nothingAskedAlone() && releases.noneUnderWay() && idle.none());
        names.close();
        List<String> left = held.list().stream().map(HeldLock::name).toList();
        if (!left.isEmpty()) {
            LOG.warnf("%d lock(s) are still held at shutdown and become free when their leases end: %s. "
                    + "A longer quarkus.shutdown.timeout lets methods finish; a lock that is held until the application stops "
                    + "is to be released in onReleaseRequested, since ShutdownEvent and @PreDestroy come after the timeout",
                    left.size(), some(left));
        }
        List<String> kept = idle.left();
        if (!kept.isEmpty()) {
            LOG.warnf("%d lock(s) that nobody holds could not be given back before the shutdown and become free "
                    + "when their leases end: %s. A longer quarkus.shutdown.timeout leaves time for them", kept.size(),
                    some(kept));
        }
        releases.stop();
        renewals.stop();
        backend.close();
        claims.close();
        if (spare != null) {
            spare.close();
        }
        if (ownTime != null) {
            ownTime.close();
        }
    }

    /** A few of many, to name them. */
    static List<String> some(List<String> lockNames) {
        return lockNames.stream().limit(20).map(PrintableName::of).toList();
    }
}
