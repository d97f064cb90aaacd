package io.quarkiverse.lock.runtime.method;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.engine.transaction.TransactionalLocks;
import io.quarkiverse.lock.name.ConfiguredName;
import io.quarkiverse.lock.name.Expressions;
import io.quarkiverse.lock.name.LockName;
import io.quarkiverse.lock.runtime.config.Durations;
import io.quarkiverse.lock.runtime.config.LockRuntimeConfig;
import io.quarkiverse.lock.runtime.config.LockRuntimeConfig.Override;
import io.quarkiverse.lock.runtime.config.LostLock;
import io.quarkiverse.lock.runtime.manager.LockEngines;
import io.quarkiverse.lock.runtime.manager.LockManagers;
import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.spi.PrintableDuration;

/** Completes an annotation from the configuration, and collects its problems. */
final class LockedMethodSettings {

    private final LockRuntimeConfig config;
    private final TemplateOverrides overrides;
    private final LockedDefinition definition;
    private final List<String> problems;

    LockedMethodSettings(LockRuntimeConfig config, TemplateOverrides overrides, LockedDefinition definition,
            List<String> problems) {
        this.config = config;
        this.overrides = overrides;
        this.definition = definition;
        this.problems = problems;
    }

    /** {@code null} if there are problems. */
    @Nullable
    LockedMethod resolve(List<LockName> names, @Nullable Fallback fallback, LockEngines engines) {
        int before = problems.size();
        ManagerDefaults defaults = engines.defaults(definition.manager());
        LockEngine engine = engines.engine(definition.manager());
        MethodOverrides override = overrides.of(definition);
        // Unset values are not parsed and load no parser: most are unset, and this is part of every start
        Duration wait = definition.waitFor().isEmpty() ? defaults.waitFor()
                : read("waitFor", definition.waitFor(), Durations::parseWait);
        Duration lease = definition.lease().isEmpty() ? defaults.lease()
                : read("lease", definition.lease(), Durations::parseLease);
        Boolean renew = definition.renew().isEmpty() ? (Boolean) defaults.renew()
                : read("renew", definition.renew(), Expressions::parseBoolean);
        Duration maxHold = definition.maxHold().isEmpty() ? defaults.maxHold()
                : read("maxHold", definition.maxHold(), Durations::parseMaxHold);
        Duration holdAtLeast = definition.holdAtLeast().isEmpty() ? Duration.ZERO
                : read("holdAtLeast", definition.holdAtLeast(), Durations::parseHoldAtLeast);
        Duration linger = definition.linger().isEmpty() ? defaults.linger()
                : read("linger", definition.linger(), Durations::parseLinger);
        OnLost onLost = definition.onLost() == OnLost.DEFAULT ? defaults.onLost() : definition.onLost();
        if (override.any()) {
            wait = override.get(Override::waitFor).orElse(wait);
            lease = override.get(Override::lease).orElse(lease);
            renew = override.get(Override::renew).orElse(renew);
            maxHold = override.get(Override::maxHold).orElse(maxHold);
            onLost = override.get(Override::onLost).map(LostLock::onLost).orElse(onLost);
            holdAtLeast = override.get(Override::holdAtLeast).orElse(holdAtLeast);
            linger = override.get(Override::linger).orElse(linger);
            checkFeatures(override, engine);
        }
        checkHalf("quarkus.lock.margin", config.margin().orElse(null), lease);
        String ownLinger = own(override, "linger", Override::linger, "linger", definition.linger());
        if (ownLinger == null && neverKept(engine, holdAtLeast, renew)) {
            linger = Duration.ZERO; // the manager means its other locks
        }
        checkHalf(ownLinger == null ? LockManagers.property(definition.manager(), "linger") : ownLinger, linger, lease);
        checkKept(ownLinger, linger, holdAtLeast, renew);
        if (engine.transactional() == null) {
            checkRenewed(override, maxHold, renew);
        }
        checkLongest(lease, holdAtLeast, engine.backend().longestLease());
        for (LockName name : names) {
            configure(name);
        }
        if (problems.size() > before || wait == null || lease == null || renew == null || holdAtLeast == null
                || linger == null) {
            return null;
        }
        HoldSettings settings = new HoldSettings(definition.manager(), definition.template(),
                Durations.nanos(wait), Durations.nanos(lease), renew,
                maxHold == null ? Long.MAX_VALUE : Durations.nanos(maxHold), onLost, holdAtLeast.toNanos(),
                definition.mode(), definition.limit(), linger.toNanos());
        return new LockedMethod(definition, names, fallback, engine, settings, config.activeTransaction());
    }

    private void checkLongest(@Nullable Duration lease, @Nullable Duration holdAtLeast, @Nullable Duration longest) {
        if (lease == null || holdAtLeast == null || longest == null) {
            return;
        }
        boolean keeps = holdAtLeast.compareTo(lease) > 0;
        Duration delay = config.afterLossDelay().orElse(Duration.ZERO);
        Duration whole = (keeps ? holdAtLeast : lease).plus(delay);
        if (whole.compareTo(longest) > 0) {
            problem("its " + (keeps ? "holdAtLeast" : "lease")
                    + (delay.isZero() ? "" : " together with quarkus.lock.after-loss-delay") + " is "
                    + PrintableDuration.of(whole) + ", longer than the longest lease that the lock backend keeps ("
                    + PrintableDuration.of(longest) + "): shorten it, or raise the backend's longest-lease");
        }
    }

    private <T> @Nullable T read(String member, String text, Function<String, T> parser) {
        try {
            return parser.apply(Expressions.resolve(text));
        } catch (IllegalArgumentException e) {
            problem("@Locked(" + member + " = \"" + text + "\"): " + e.getMessage());
            return null;
        }
    }

    private void checkFeatures(MethodOverrides override, LockEngine engine) {
        String lease = override.property("lease", Override::lease);
        if (lease != null && !engine.features().contains(Feature.LEASE)) {
            problem(lease + ": the lock backend has no separate lease for each lock; remove the property");
        }
        boolean keeps = override.get(Override::holdAtLeast).filter(atLeast -> !atLeast.isZero()).isPresent();
        String holdAtLeast = keeps ? override.property("hold-at-least", Override::holdAtLeast) : null;
        if (holdAtLeast != null && !engine.features().contains(Feature.HOLD_AT_LEAST)) {
            problem(holdAtLeast + ": the lock backend cannot keep a name after its release; remove the property");
        }
        if (engine.transactional() != null) {
            checkRenewal(override, engine.transactional());
        }
        if (holdAtLeast != null && (definition.limit() > 0 || definition.mode() == LockMode.SHARED)) {
            problem(holdAtLeast + ": only an exclusive lock can keep the name after its release, and this one has "
                    + (definition.limit() > 0 ? "a limit" : "mode = SHARED") + "; remove the property");
        }
    }

    /** Refuses in overrides what the build refuses in the annotation. */
    private void checkRenewal(MethodOverrides override, TransactionalLocks inTransaction) {
        meaningless(override.property("renew", Override::renew), "there is no lease to renew", inTransaction);
        meaningless(override.property("max-hold", Override::maxHold), "limit the transaction instead, with "
                + "@TransactionConfiguration(timeout) or quarkus.transaction-manager.default-transaction-timeout",
                inTransaction);
        boolean lingers = override.get(Override::linger).filter(linger -> !linger.isZero()).isPresent();
        meaningless(lingers ? override.property("linger", Override::linger) : null,
                "it ends with it, and nothing is left to keep", inTransaction);
    }

    private void meaningless(@Nullable String property, String why, TransactionalLocks inTransaction) {
        if (property != null) {
            problem(property + " means nothing for a lock that lives as long as its transaction: " + why
                    + "; remove the property. " + inTransaction.alternative());
        }
    }

    private void checkHalf(String source, @Nullable Duration part, @Nullable Duration lease) {
        if (part != null && lease != null && Durations.moreThanHalf(part, lease)) {
            problem(source + " (" + part + ") must be at most half of the lease (" + lease
                    + "): shorten the one, or raise the other");
        }
    }

    private boolean neverKept(LockEngine engine, @Nullable Duration holdAtLeast, @Nullable Boolean renew) {
        return engine.transactional() != null || definition.limit() > 0 || holdAtLeast != null && !holdAtLeast.isZero()
                || Boolean.FALSE.equals(renew);
    }

    /**
     * The build checks what has no expressions. A manager's linger is for locks that can be kept, not for each of its locks.
     */
    private void checkKept(@Nullable String own, @Nullable Duration linger, @Nullable Duration holdAtLeast,
            @Nullable Boolean renew) {
        if (own == null || linger == null || linger.isZero()) {
            return;
        }
        String kept = own + " (" + linger + "): ";
        if (definition.limit() > 0) {
            problem(kept + "linger has no effect on a lock with a limit; remove one of the two");
        }
        if (holdAtLeast != null && !holdAtLeast.isZero()) {
            problem(kept + "linger has no effect together with holdAtLeast; remove one of the two");
        }
        if (Boolean.FALSE.equals(renew)) {
            problem(kept + "linger has no effect on a lock that is not renewed; remove one of the two");
        }
    }

    /**
     * A manager's limit is for locks that are renewed, not for each of its locks; and renewal may be switched off over an
     * annotation that limits it.
     */
    private void checkRenewed(MethodOverrides override, @Nullable Duration maxHold, @Nullable Boolean renew) {
        boolean bothMeant = override.get(Override::maxHold).isPresent() || !definition.maxHold().isEmpty()
                && !definition.renew().isEmpty() && override.get(Override::renew).isEmpty();
        if (bothMeant && maxHold != null && Boolean.FALSE.equals(renew)) {
            String unrenewed = own(override, "renew", Override::renew, "renew", definition.renew());
            problem(own(override, "max-hold", Override::maxHold, "maxHold", definition.maxHold()) + " (" + maxHold
                    + "): maxHold has no effect on a lock that is not renewed ("
                    + (unrenewed == null ? "as its manager says" : unrenewed) + "); remove one of the two");
        }
    }

    /** Where a setting comes from that is meant for this very lock; {@code null} if it comes from the manager. */
    private static @Nullable String own(MethodOverrides override, String key,
            Function<Override, ? extends Optional<?>> setting, String member, String text) {
        String property = override.property(key, setting);
        return property != null || text.isEmpty() ? property : "@Locked(" + member + " = \"" + text + "\")";
    }

    private void configure(LockName name) {
        if (name instanceof ConfiguredName configured) {
            try {
                configured.configure();
            } catch (IllegalArgumentException e) {
                problem("@Locked(\"" + definition.template() + "\"): " + e.getMessage());
            }
        }
    }

    private void problem(String text) {
        problems.add(definition.description() + ": " + text);
    }
}
