package io.quarkiverse.lock.engine;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.acquire.AsyncAcquire;
import io.quarkiverse.lock.engine.acquire.AsyncWaits;
import io.quarkiverse.lock.engine.acquire.BlockingAcquire;
import io.quarkiverse.lock.engine.acquire.BlockingAnswers;
import io.quarkiverse.lock.engine.acquire.BlockingRelease;
import io.quarkiverse.lock.engine.acquire.OneStepAcquireAll;
import io.quarkiverse.lock.engine.acquire.PipelineHolds;
import io.quarkiverse.lock.engine.acquire.Scopes;
import io.quarkiverse.lock.engine.deadlock.FarWaits;
import io.quarkiverse.lock.engine.deadlock.LockOrders;
import io.quarkiverse.lock.engine.deadlock.LongWaits;
import io.quarkiverse.lock.engine.handle.EngineLocks;
import io.quarkiverse.lock.engine.handle.ForgottenHandles;
import io.quarkiverse.lock.engine.handle.Handles;
import io.quarkiverse.lock.engine.lease.BackendNews;
import io.quarkiverse.lock.engine.lease.Census;
import io.quarkiverse.lock.engine.lease.Downgrades;
import io.quarkiverse.lock.engine.lease.Features;
import io.quarkiverse.lock.engine.lease.HeldLocks;
import io.quarkiverse.lock.engine.lease.IdleGrants;
import io.quarkiverse.lock.engine.lease.LeaseChanges;
import io.quarkiverse.lock.engine.lease.Validity;
import io.quarkiverse.lock.engine.news.ErrorMessages;
import io.quarkiverse.lock.engine.news.Events;
import io.quarkiverse.lock.engine.news.HoldNotifier;
import io.quarkiverse.lock.engine.news.NewsThreads;
import io.quarkiverse.lock.engine.news.Refusals;
import io.quarkiverse.lock.engine.queue.Admission;
import io.quarkiverse.lock.engine.queue.ClaimAnswers;
import io.quarkiverse.lock.engine.queue.Claims;
import io.quarkiverse.lock.engine.queue.HandOver;
import io.quarkiverse.lock.engine.queue.IdleReleases;
import io.quarkiverse.lock.engine.queue.LeaseLengths;
import io.quarkiverse.lock.engine.queue.Lingering;
import io.quarkiverse.lock.engine.queue.Losses;
import io.quarkiverse.lock.engine.queue.NameTable;
import io.quarkiverse.lock.engine.queue.Releases;
import io.quarkiverse.lock.engine.queue.Renewals;
import io.quarkiverse.lock.engine.reactive.Pipelines;
import io.quarkiverse.lock.engine.reactive.Stages;
import io.quarkiverse.lock.engine.state.Fencing;
import io.quarkiverse.lock.engine.state.LeaseRules;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.engine.thread.SpareThreads;
import io.quarkiverse.lock.engine.thread.ThreadLocks;
import io.quarkiverse.lock.engine.transaction.TransactionalLocks;
import io.quarkiverse.lock.spi.InMemoryBackend;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.spi.TransactionalBackend;
import io.quarkiverse.lock.spi.WaitNotes;

/** The parts of an engine, wired together. Only constructs them; it sends nothing to the backend yet. */
final class EngineParts {

    final ErrorMessages errors;
    final IdleGrants idle;
    final Renewals renewals;
    final Lingering lingering;
    final BackendNews news;
    final Validity validity;
    final HeldLocks held;
    final Census census;
    final HandOver handOver;
    final BlockingRelease release;
    final BlockingAnswers answers;
    final BlockingAcquire acquire;
    final Scopes scopes;
    final PipelineHolds pipelineHolds = new PipelineHolds();
    final Pipelines pipelines;
    final Stages stages;
    /** For callers that must be led back. */
    final CallerThreads callers;
    final EngineLocks locks;
    final @Nullable TransactionalLocks transactional;
    final Checkpoint checkpoint;
    final Shutdown shutdown;

    /** @param loader the application's */
    EngineParts(LockEngineBuilder settings, @Nullable ClassLoader loader) {
        LockBackend backend = settings.backend;
        InMemoryBackend inMemory = backend instanceof InMemoryBackend memory ? memory : null;
        boolean inTransactions = backend instanceof TransactionalBackend;
        LockTime time = settings.time();
        CallerThreads threads = settings.threads();
        SpareThreads spare = threads.workersNeverRunOut() ? null : new SpareThreads(threads, time, loader);
        callers = spare == null ? threads : spare;
        long afterLossNanos = settings.afterLossDelay == null ? 0 : settings.afterLossDelay.toNanos();
        // Parts without dependencies
        Events events = new Events(settings.listener, settings.tracing, settings.recording, backend.name(), inTransactions);
        HoldNotifier notifier = new HoldNotifier(threads.workersNeverRunOut() ? threads.workers() : new NewsThreads(loader));
        Fencing fencing = new Fencing(settings.fencingFloor);
        errors = new ErrorMessages(backend, time);
        Features features = new Features(backend);
        ThreadLocks threadLocks = new ThreadLocks();
        LeaseRules rules = new LeaseRules(backend, time, settings.margin, settings.slice, fencing,
                afterLossNanos, !inTransactions);
        NameTable names = new NameTable(rules);
        idle = new IdleGrants(names, fencing);
        // Queues and held locks
        Claims claims = new Claims(backend, time, names, new Claims.Tokens(inMemory != null), afterLossNanos);
        Losses losses = new Losses(time, events, notifier, names, claims);
        LeaseLengths lengths = new LeaseLengths(time);
        renewals = new Renewals(backend, time, events, names, losses, lengths);
        Releases releases = new Releases(backend, time, events, errors, names, losses);
        IdleReleases idleReleases = new IdleReleases(names, releases);
        lingering = new Lingering(backend, inMemory, time, names, losses, renewals, lengths, idleReleases);
        Admission admission = new Admission(backend, inMemory, time, names, claims, events, errors, renewals, lingering);
        ClaimAnswers claimAnswers = new ClaimAnswers(backend, time, events, errors, names, claims, admission,
                losses, renewals, releases);
        claims.answeredBy(claimAnswers);
        handOver = new HandOver(backend, inMemory, time, threads, events, names, claims, renewals,
                releases, losses, lingering);
        validity = new Validity(time, losses, renewals);
        held = new HeldLocks(names, validity, time);
        census = new Census(names, time);
        news = new BackendNews(time, names, events, notifier, losses, renewals, lingering);
        // Callers
        Refusals refusals = new Refusals(events, errors, time);
        release = new BlockingRelease(backend, threads, errors, handOver);
        answers = new BlockingAnswers(backend, errors);
        scopes = new Scopes(threads, names, validity, notifier, release);
        OneStepAcquireAll together = new OneStepAcquireAll(backend, time, rules, names, claims, claimAnswers, releases,
                handOver, events);
        LockOrders orders = settings.orders;
        if (orders != null) {
            orders.seeing(scopes::around);
        }
        LongWaits longWaits = inTransactions ? null : settings.longWaits; // a database detects its own transactions' deadlocks
        if (longWaits != null) {
            longWaits.seeing(scopes::around);
            longWaits.seeing(threadLocks::holds);
        }
        WaitNotes notes = longWaits == null ? null : backend.waitNotes();
        FarWaits farWaits = notes == null ? null : new FarWaits(longWaits, notes, time, names::all);
        AsyncWaits waits = new AsyncWaits(time, admission, handOver, refusals, errors, longWaits,
                farWaits);
        acquire = new BlockingAcquire(time, threads, admission, scopes, release, together, validity,
                events, refusals, errors, orders, longWaits, farWaits);
        AsyncAcquire asyncAcquire = new AsyncAcquire(time, callers, admission, waits, together, pipelineHolds, validity,
                handOver, refusals, errors, orders);
        pipelines = new Pipelines(callers, pipelineHolds, asyncAcquire, validity, notifier, handOver);
        stages = new Stages(callers, scopes, asyncAcquire, validity, notifier, handOver, orders);
        // Locks
        Handles handles = new Handles(callers, new ForgottenHandles(time, handOver), validity, notifier,
                new LeaseChanges(backend, time, renewals, lengths, rules, features),
                new Downgrades(backend, time, names, claims, losses, renewals, handOver, events, errors),
                handOver, release, answers);
        locks = new EngineLocks(scopes, acquire, handles, asyncAcquire, pipelines, features,
                threadLocks, errors);
        transactional = backend instanceof TransactionalBackend own
                ? new TransactionalLocks(own, time, threads, scopes, admission, acquire, refusals, errors, handles, validity,
                        losses, handOver, events, fencing, orders)
                : null;
        checkpoint = new Checkpoint(names, lingering, idleReleases, releases, renewals, backend, claims, together);
        shutdown = new Shutdown(names, admission, errors, held, renewals, releases, lingering, idleReleases, news, backend,
                claims,
                spare, settings.ownTime() && time instanceof SystemTime own ? own : null);
    }
}
