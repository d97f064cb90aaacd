package io.quarkiverse.lock.engine.acquire;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.state.Held;
import io.quarkiverse.lock.engine.state.LockHold;
import io.smallrye.mutiny.Context;

/**
 * The holds of locked pipelines, as what is nested in them finds them: what such a pipeline subscribes to upstream sees a copy
 * of the subscriber's {@link Context} with the holds in it. So only what is nested finds them, whatever thread it runs on;
 * siblings and later stages do not.
 */
public final class PipelineHolds {

    private static final String HOLD = "io.quarkiverse.lock/";

    /** The same names of other engines are other locks. */
    private final String prefix = HOLD + System.identityHashCode(this) + "/";

    /**
     * What is held by the pipeline whose body the current thread makes and subscribes to. In an array, to be set for nothing.
     */
    private final ThreadLocal<@Nullable Held[]> begun = ThreadLocal.withInitial(() -> new Held[1]);

    /**
     * The current thread begins a body under these holds.
     *
     * @return of the body that it was beginning, to be set again at the end; {@code null} if it was none
     */
    public @Nullable Held begins(@Nullable Held held) {
        @Nullable
        Held[] here = begun.get();
        Held before = here[0];
        here[0] = held;
        return before;
    }

    /** The live hold of one of these names whose body the current thread begins, whatever the context. */
    @Nullable
    LockHold beginning(String[] names) {
        Held held = begun.get()[0];
        for (int i = 0; held != null && i < held.size(); i++) {
            for (String name : names) {
                if (held.get(i).name().equals(name) && held.get(i).live()) {
                    return held.get(i);
                }
            }
        }
        return null;
    }

    /** The live hold of this name in whose pipeline this context is; {@code null} if there is none. */
    @Nullable
    LockHold enclosing(Context context, String name) {
        LockHold hold = known(context, name);
        return hold != null && hold.live() ? hold : null;
    }

    /** The hold of this name in whose pipeline this context is, even if it has been lost. */
    public @Nullable LockHold known(Context context, String name) {
        return context.getOrElse(prefix + name, () -> null);
    }

    /** Whether this context is in a pipeline that still has the lock of this name. */
    public boolean isInside(Context context, String name) {
        return enclosing(context, name) != null;
    }

    /** A copy of the context with these holds in it. */
    public Context with(Context outside, Held held) {
        Context inside = Context.empty();
        for (String key : outside.keys()) {
            inside = inside.put(key, outside.get(key));
        }
        for (int i = 0; i < held.size(); i++) {
            inside = inside.put(prefix + held.get(i).name(), held.get(i));
        }
        return inside;
    }

    /** All holds in whose pipelines this context is. */
    static List<LockHold> all(Context context) {
        List<LockHold> holds = new ArrayList<>();
        for (String key : context.keys()) {
            if (key.startsWith(HOLD) && context.<Object> get(key) instanceof LockHold hold) {
                holds.add(hold);
            }
        }
        return holds;
    }

    /** The fencing tokens of all holds in whose pipelines this context is, by name. */
    public static Map<String, Long> tokens(Context context) {
        Map<String, Long> tokens = new LinkedHashMap<>();
        for (String key : context.keys()) {
            if (key.startsWith(HOLD) && context.<Object> get(key) instanceof LockHold hold) {
                tokens.putIfAbsent(hold.name(), hold.fencingToken());
            }
        }
        return tokens;
    }

    /** Whether somebody has asked for any of the holds in whose pipelines this context is. */
    public static boolean askedFor(Context context) {
        for (String key : context.keys()) {
            if (key.startsWith(HOLD) && context.<Object> get(key) instanceof LockHold hold && hold.askedFor()) {
                return true;
            }
        }
        return false;
    }
}
