package io.quarkiverse.lock.runtime.manager;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.engine.LockEngineBuilder;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.engine.transaction.TransactionalLocks;
import io.quarkiverse.lock.runtime.config.Durations;
import io.quarkiverse.lock.runtime.config.KeySpellings;
import io.quarkiverse.lock.runtime.config.LockRuntimeConfig;
import io.quarkiverse.lock.runtime.config.LostLock;
import io.quarkiverse.lock.spi.PrintableDuration;
import io.quarkus.runtime.configuration.ConfigurationException;

/** Reads the defaults of managers from the configuration, and refuses what cannot work. */
final class ManagerSettings {

    private final LockRuntimeConfig config;
    private final List<String> problems = new ArrayList<>();

    ManagerSettings(LockRuntimeConfig config) {
        this.config = config;
        if (config.managers().containsKey(LockManagers.DEFAULT)) {
            problems.add(LockManagers.NAMED_DEFAULT);
        }
        if (!config.managers().isEmpty()) {
            checkSpellings();
        }
        Duration slice = config.slice().orElse(Duration.ZERO);
        if (slice.isNegative()) {
            problems.add("quarkus.lock.slice must not be negative, but is " + slice);
        }
        Duration delay = config.afterLossDelay().orElse(Duration.ZERO);
        if (delay.isNegative() || delay.compareTo(Duration.ofHours(24)) > 0) {
            problems.add("quarkus.lock.after-loss-delay must be between 0 and 24 hours, but is " + delay);
        }
        Duration margin = config.margin().orElse(LockEngineBuilder.SHORTEST_MARGIN);
        if (margin.compareTo(LockEngineBuilder.SHORTEST_MARGIN) < 0) {
            problems.add("quarkus.lock.margin must be at least " + PrintableDuration.of(LockEngineBuilder.SHORTEST_MARGIN)
                    + ", since clocks are not accurate enough for less, but is " + margin);
        }
    }

    private void checkSpellings() {
        KeySpellings spellings = KeySpellings.of(LockManagers.PREFIX);
        for (String manager : config.managers().keySet()) {
            String spelledTwice = spellings.problem(manager);
            if (spelledTwice != null) {
                problems.add(spelledTwice);
            }
        }
    }

    /** The defaults of a manager; invalid ones are replaced, see {@link #check}. */
    ManagerDefaults of(String name) {
        LockRuntimeConfig.Manager own = config.managers().get(name);
        Duration wait = value(name, "wait", own == null ? Optional.empty() : own.waitFor(), config.waitFor(),
                Durations::checkWait);
        Duration lease = value(name, "lease", own == null ? Optional.empty() : own.lease(), config.lease(),
                LockOptions::checkLease);
        boolean renew = (own == null ? Optional.<Boolean> empty() : own.renew()).orElse(config.renew());
        Optional<Duration> ownMaxHold = own == null ? Optional.empty() : own.maxHold();
        Duration maxHold = value(name, "max-hold", ownMaxHold, config.maxHold().orElse(null), Durations::checkMaxHold);
        OnLost onLost = (own == null ? Optional.<LostLock> empty() : own.onLost()).orElse(config.onLost()).onLost();
        checkHalf("quarkus.lock.margin", config.margin().orElse(null), name, lease);
        Optional<Duration> ownLinger = own == null ? Optional.empty() : own.linger();
        Duration linger = value(name, "linger", ownLinger, config.linger().orElse(Duration.ZERO), Durations::checkLinger);
        if (ownLinger.isPresent()) {
            checkHalf(LockManagers.property(name, "linger"), linger, name, lease);
        }
        return problems.isEmpty() ? new ManagerDefaults(name, wait, lease, renew, maxHold, onLost, linger)
                : ManagerDefaults.STANDARD;
    }

    /**
     * Refuses settings of features that the backend lacks, as in annotations and overrides. What a manager inherits is
     * accepted, since it may make sense for others.
     */
    void checkFeatures(String name, @Nullable TransactionalLocks inTransaction) {
        if (inTransaction == null) {
            return;
        }
        boolean ofAll = name.equals(LockManagers.DEFAULT);
        LockRuntimeConfig.Manager own = config.managers().get(name);
        if (ofAll ? !config.renew() : own != null && own.renew().isPresent()) {
            meaningless(name, "renew", "there is no lease to renew", inTransaction);
        }
        if (ofAll ? config.maxHold().isPresent() : own != null && own.maxHold().isPresent()) {
            meaningless(name, "max-hold", "limit the transaction instead, with @TransactionConfiguration(timeout) or "
                    + "quarkus.transaction-manager.default-transaction-timeout", inTransaction);
        }
        Duration linger = ofAll ? config.linger().orElse(Duration.ZERO)
                : own == null ? Duration.ZERO : own.linger().orElse(Duration.ZERO);
        if (!linger.isZero()) {
            meaningless(name, "linger", "they end with it, and nothing is left to keep", inTransaction);
        }
    }

    /** A linger that a manager does not set itself does nothing for locks that are never kept, however short their lease. */
    void checkInheritedLinger(ManagerDefaults manager, @Nullable TransactionalLocks inTransaction) {
        LockRuntimeConfig.Manager own = config.managers().get(manager.name());
        if ((own == null || own.linger().isEmpty()) && manager.renew() && inTransaction == null) {
            checkHalf(LockManagers.property(LockManagers.DEFAULT, "linger"), manager.linger(), manager.name(), manager.lease());
        }
    }

    /** @param longest the longest lease that the backend can keep; {@code null} if there is no such limit */
    void checkLongest(String name, Duration lease, @Nullable Duration longest) {
        Duration whole = lease.plus(config.afterLossDelay().orElse(Duration.ZERO));
        if (longest != null && whole.compareTo(longest) > 0) {
            LockRuntimeConfig.Manager own = config.managers().get(name);
            add(LockManagers.property(own != null && own.lease().isPresent() ? name : LockManagers.DEFAULT, "lease") + " ("
                    + PrintableDuration.of(lease) + (whole.equals(lease) ? ""
                            : "; " + PrintableDuration.of(whole) + " together with quarkus.lock.after-loss-delay")
                    + ") is longer than the longest lease that the lock backend keeps (" + PrintableDuration.of(longest)
                    + "): shorten it, or raise the backend's longest-lease");
        }
    }

    private void meaningless(String manager, String key, String why, TransactionalLocks inTransaction) {
        add(LockManagers.property(manager, key) + " means nothing for locks that live as long as their transaction: " + why
                + "; remove the property. " + inTransaction.alternative());
    }

    /** @throws ConfigurationException with each property that is wrong */
    void check() {
        if (!problems.isEmpty()) {
            throw new ConfigurationException(String.join("\n", problems));
        }
    }

    private @Nullable Duration value(String manager, String key, Optional<Duration> own, @Nullable Duration inherited,
            UnaryOperator<Duration> check) {
        Duration value = own.orElse(inherited);
        if (value == null) {
            return null;
        }
        try {
            return check.apply(value);
        } catch (IllegalArgumentException e) {
            String property = LockManagers.property(own.isPresent() ? manager : LockManagers.DEFAULT, key);
            add(property + ": " + e.getMessage());
            return null;
        }
    }

    private void checkHalf(String property, @Nullable Duration part, String manager, @Nullable Duration lease) {
        if (part != null && lease != null && Durations.moreThanHalf(part, lease)) {
            add(property + " (" + part + ") must be at most half of " + LockManagers.property(manager, "lease") + " (" + lease
                    + "): shorten the one, or raise the other");
        }
    }

    /** Adds each problem only once, since others inherit the default manager's. */
    private void add(String problem) {
        if (!problems.contains(problem)) {
            problems.add(problem);
        }
    }
}
