package io.quarkiverse.lock.runtime.call;

import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.CurrentLock;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.acquire.PipelineHolds;
import io.quarkiverse.lock.engine.reactive.Pipelines;
import io.quarkiverse.lock.engine.state.Held;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.runtime.manager.LockEngines;
import io.quarkiverse.lock.runtime.off.SwitchedOffHandle;
import io.quarkiverse.lock.text.PrintableName;
import io.smallrye.mutiny.Context;
import io.smallrye.mutiny.Uni;

/** Looks for the lock around the caller, in all engines: usually there is one. */
public final class ScopedLock implements CurrentLock {

    private final LockEngines engines;

    public ScopedLock(LockEngines engines) {
        this.engines = engines;
    }

    @Override
    public long fencingToken() {
        return token(onThread(null), null);
    }

    @Override
    public long fencingToken(String name) {
        return token(onThread(name), name);
    }

    @Override
    public Uni<Long> fencingTokenAsync() {
        return Uni.createFrom().context(context -> Uni.createFrom().item(() -> token(inPipeline(context, null), null)));
    }

    @Override
    public Uni<Long> fencingTokenAsync(String name) {
        return Uni.createFrom().context(context -> Uni.createFrom().item(() -> token(inPipeline(context, name), name)));
    }

    @Override
    public Map<String, Long> fencingTokens() {
        Map<String, Long> tokens = new LinkedHashMap<>();
        for (LockEngine engine : engines.all()) {
            engine.scopes().tokens().forEach((name, token) -> add(tokens, name, token));
        }
        return tokens;
    }

    @Override
    public Uni<Map<String, Long>> fencingTokensAsync() {
        return Uni.createFrom().context(context -> Uni.createFrom().item(() -> tokens(context)));
    }

    private static Map<String, Long> tokens(Context context) {
        Map<String, Long> tokens = new LinkedHashMap<>();
        PipelineHolds.all(context).forEach(hold -> add(tokens, hold.name(), hold.fencingToken()));
        return tokens;
    }

    /** Tokens of different backends cannot be compared, so neither of them stands for the name. */
    private static void add(Map<String, Long> tokens, String name, long token) {
        if (tokens.put(name, token) != null) {
            throw severalBackends(name, name);
        }
    }

    @Override
    public boolean isValid() {
        return engines.off() || shortest() > 0;
    }

    @Override
    public Duration validFor() {
        return engines.off() ? SwitchedOffHandle.LONG : Duration.ofNanos(shortest());
    }

    private long shortest() {
        long shortest = Long.MAX_VALUE;
        boolean any = false;
        for (LockEngine engine : engines.all()) {
            for (LockHold hold : engine.scopes().holds()) {
                shortest = Math.min(shortest, engine.validity().validNanos(hold));
                any = true;
            }
        }
        if (!any) {
            throw outside();
        }
        return shortest;
    }

    @Override
    public void onLost(Runnable callback) {
        if (engines.off()) {
            return; // it never is lost
        }
        AtomicBoolean told = new AtomicBoolean();
        Runnable once = () -> {
            if (told.compareAndSet(false, true)) {
                callback.run();
            }
        };
        boolean any = false;
        for (LockEngine engine : engines.all()) {
            any |= engine.scopes().onLost(once);
        }
        if (!any) {
            throw outside();
        }
    }

    private static IllegalStateException outside() {
        return new IllegalStateException("CurrentLock is used outside the scope of a lock. Call it on the thread of a @Locked "
                + "method or of LockManager.lock(...).call(...); in the pipeline of a Uni or Multi, use a LockHandle");
    }

    @Override
    public boolean releaseRequested() {
        for (LockEngine engine : engines.all()) {
            if (engine.scopes().askedFor()) {
                return true;
            }
        }
        return false;
    }

    @Override
    public Uni<Boolean> releaseRequestedAsync() {
        return Uni.createFrom().context(context -> Uni.createFrom().item(() -> PipelineHolds.all(context).stream()
                .anyMatch(LockHold::askedFor)));
    }

    private @Nullable Held onThread(@Nullable String name) {
        Held found = null;
        for (LockEngine engine : all()) {
            Held held = name == null ? engine.scopes().innermost() : engine.scopes().innermost(name);
            if (held != null && found != null) {
                throw severalBackends(found.name(), held.name());
            }
            found = held == null ? found : held;
        }
        return found;
    }

    private @Nullable Held inPipeline(Context context, @Nullable String name) {
        if (name == null) {
            return Pipelines.innermostHeld(context);
        }
        LockHold found = null;
        for (LockEngine engine : all()) {
            LockHold hold = engine.pipelineHolds().known(context, name);
            if (hold != null && found != null) {
                throw severalBackends(name, name);
            }
            found = hold == null ? found : hold;
        }
        return found;
    }

    private static IllegalStateException severalBackends(String one, String other) {
        return new IllegalStateException("Locks of several backends are held here, '" + PrintableName.of(one) + "' and '"
                + PrintableName.of(other)
                + "': use fencingToken(name), or LockHandle.fencingToken() if both have the same name");
    }

    private Collection<LockEngine> all() {
        if (engines.off()) {
            throw new IllegalStateException("There is no fencing token: locks are switched off by quarkus.lock.enabled=false");
        }
        return engines.all();
    }

    private static long token(@Nullable Held held, @Nullable String name) {
        if (held == null) {
            throw new IllegalStateException("There is no fencing token: this is not in the scope of "
                    + (name == null ? "a lock" : "lock '" + PrintableName.of(name) + "'")
                    + ". Call fencingToken() on the thread of a @Locked method or of call(), and fencingTokenAsync() in the "
                    + "pipeline of a Uni");
        }
        return held.fencingToken();
    }
}
