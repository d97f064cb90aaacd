package io.quarkiverse.lock.runtime.method;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.Locked.OnBusy;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.Locked.Release;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.acquire.LockNameRule;
import io.quarkiverse.lock.engine.acquire.NamesInOrder;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.name.LockName;
import io.quarkiverse.lock.runtime.config.ActiveTransaction;
import io.quarkiverse.lock.runtime.manager.LockManagers;

/** A {@code @Locked} method of a bean, ready to run: nothing is left to look up, parse or default. Immutable. */
public final class LockedMethod {

    private final LockedDefinition definition;
    private final LockName name;
    private final LockName @Nullable [] several;
    private final @Nullable Fallback fallback;
    private final LockEngine engine;
    private final HoldSettings settings;
    private final ActiveTransaction activeTransaction;

    LockedMethod(LockedDefinition definition, List<LockName> names, @Nullable Fallback fallback, LockEngine engine,
            HoldSettings settings,
            ActiveTransaction activeTransaction) {
        this.definition = definition;
        this.name = names.get(0);
        this.several = names.size() == 1 ? null : names.toArray(LockName[]::new);
        this.fallback = fallback;
        this.engine = engine;
        this.settings = settings;
        this.activeTransaction = activeTransaction;
    }

    /**
     * The name of the lock for these arguments; if there are several, the one written first.
     *
     * @throws IllegalArgumentException if a part of it is {@code null}, or the name is empty or too long
     */
    public String name(Object[] parameters) {
        return made(name, parameters);
    }

    private String made(LockName from, Object[] parameters) {
        String made = from.of(parameters);
        String problem = LockNameRule.problem(made);
        if (problem != null) {
            throw new IllegalArgumentException(
                    "The lock name of " + this + " cannot be made from \"" + template() + "\": " + problem);
        }
        return made;
    }

    /** Whether there may be more than one name. */
    public boolean several() {
        return several != null;
    }

    /** The names for these arguments, in the order in which they must be taken; if there is one, that of {@link #name}. */
    public String[] names(Object[] parameters) {
        if (several == null) {
            return new String[] { name(parameters) };
        }
        String[] names = new String[several.length];
        for (int i = 0; i < names.length; i++) {
            names[i] = made(several[i], parameters);
        }
        return NamesInOrder.of(names);
    }

    /** What the build found. */
    public LockedDefinition definition() {
        return definition;
    }

    /** The engine of this method's manager. */
    public LockEngine engine() {
        return engine;
    }

    /** The annotation with the manager's defaults filled in; the same object for every call. */
    public HoldSettings settings() {
        return settings;
    }

    /** The template as written; {@code Class.method} where there is none. */
    public String template() {
        return definition.template();
    }

    /** The manager's name; {@link LockManagers#DEFAULT} for the default one. */
    public String manager() {
        return definition.manager();
    }

    public long waitNanos() {
        return settings.waitNanos();
    }

    public long leaseNanos() {
        return settings.leaseNanos();
    }

    public boolean renew() {
        return settings.renew();
    }

    /** {@link Long#MAX_VALUE} for no limit. */
    public long maxHoldNanos() {
        return settings.maxHoldNanos();
    }

    public OnBusy onBusy() {
        return definition.onBusy();
    }

    /** The fallback to call when the lock is busy; {@code null} unless {@link #onBusy} asks for it. */
    @Nullable
    public Fallback fallback() {
        return fallback;
    }

    /** Any but {@link OnLost#DEFAULT}. */
    public OnLost onLost() {
        return settings.onLost();
    }

    public Release release() {
        return definition.release();
    }

    public ReturnKind returns() {
        return definition.returns();
    }

    /** What a skipped call returns, or what its {@code Uni} or {@code CompletionStage} completes with. */
    public @Nullable Object skipped() {
        return definition.skipResult().value();
    }

    /** How the parameters are validated before a name is made from them. */
    public ValidationKind validation() {
        return definition.validation();
    }

    /** Whether a transaction begins inside the lock, around the method. */
    public boolean transactional() {
        return definition.transaction() != TransactionKind.NONE;
    }

    /** Whether that is a Hibernate Reactive transaction. */
    public boolean reactiveTransaction() {
        return definition.transaction() == TransactionKind.REACTIVE;
    }

    /** What to do if a transaction is already active when the lock is taken. */
    public ActiveTransaction activeTransaction() {
        return activeTransaction;
    }

    /** {@code Class.method}, for messages. */
    @Override
    public String toString() {
        return definition.description();
    }
}
