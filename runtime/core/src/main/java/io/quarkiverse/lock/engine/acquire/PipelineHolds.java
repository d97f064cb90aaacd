package io.quarkiverse.lock.engine.acquire;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.state.Held;
import io.quarkiverse.lock.engine.state.LockHold;
import io.smallrye.mutiny.Context;

/**
 * The holds of locked pipelines, as nested code finds them: the upstream of such a pipeline sees a copy of the subscriber's
 * {@link Context} that contains the holds. So only nested code finds them, on whatever thread it runs; siblings and later
 * stages do not. What else the body changes in its copy is brought out at its end.
 */
public final class PipelineHolds {

    /** How all keys of pipelines begin. */
    public static final String OURS = "io.quarkiverse.lock";

    private static final String HOLD = OURS + "/";

    /** The same name in another engine is another lock. */
    private final String prefix = HOLD + System.identityHashCode(this) + "/";

    /**
     * The holds of the pipeline whose body the current thread creates and subscribes to. In an array, so that setting it costs
     * nothing.
     */
    private final ThreadLocal<@Nullable Held[]> begun = ThreadLocal.withInitial(() -> new Held[1]);

    /**
     * Called when the current thread begins a body under these holds.
     *
     * @return the holds of the body that it was already beginning, to be restored at the end; {@code null} if there was none
     */
    public @Nullable Held begins(@Nullable Held held) {
        @Nullable
        Held[] here = begun.get();
        Held before = here[0];
        here[0] = held;
        return before;
    }

    /** The live hold of one of these names whose body the current thread is beginning, whatever the context. */
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

    /** The live hold of this name whose pipeline contains this context; {@code null} if there is none. */
    @Nullable
    LockHold enclosing(Context context, String name) {
        LockHold hold = known(context, name);
        return hold != null && hold.live() ? hold : null;
    }

    /** The hold of this name whose pipeline contains this context, even if it has been lost. */
    public @Nullable LockHold known(Context context, String name) {
        return context.getOrElse(prefix + name, () -> null);
    }

    /** Whether this context is inside a pipeline that still has the lock of this name. */
    public boolean isInside(Context context, String name) {
        return enclosing(context, name) != null;
    }

    /** A copy of the context that contains these holds. */
    public Context with(Context outside, Held held) {
        Context inside = copy(outside);
        for (int i = 0; i < held.size(); i++) {
            inside = inside.put(prefix + held.get(i).name(), held.get(i));
        }
        return inside;
    }

    public static Context copy(Context context) {
        Context copy = Context.empty();
        for (String key : context.keys()) {
            Object value = value(context, key);
            if (value != null) {
                copy = copy.put(key, value);
            }
        }
        return copy;
    }

    /**
     * Changes a context as the body of a pipeline has changed its copy of it, except for the holds.
     *
     * @param before what was copied: others may have changed {@code outside} since then
     */
    public static void bringOut(Context inside, Context before, Context outside) {
        for (String key : inside.keys()) {
            Object value = value(inside, key);
            if (value != null && value != value(before, key) && !key.startsWith(OURS)) {
                outside.put(key, value);
            }
        }
        for (String key : before.keys()) {
            if (!inside.contains(key)) {
                outside.delete(key);
            }
        }
    }

    private static @Nullable Object value(Context context, String key) {
        return context.getOrElse(key, () -> null);
    }

    /** All holds whose pipelines contain this context, of all engines; of each name, an engine has at most one. */
    public static List<LockHold> all(Context context) {
        List<LockHold> holds = new ArrayList<>();
        for (String key : context.keys()) {
            if (key.startsWith(HOLD) && context.<Object> get(key) instanceof LockHold hold) {
                holds.add(hold);
            }
        }
        return holds;
    }
}
