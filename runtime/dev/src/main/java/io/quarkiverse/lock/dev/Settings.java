package io.quarkiverse.lock.dev;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.runtime.method.LockedDefinition;
import io.quarkiverse.lock.runtime.method.LockedMethod;
import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.spi.PrintableDuration;

/**
 * The settings in force for a method or a manager, and where each value comes from. Settings that its backend does not support,
 * or that do nothing for the method, are left out.
 */
final class Settings {

    private static final String WAIT = "wait";
    private static final String LEASE = "lease";
    private static final String RENEW = "renew";
    private static final String MAX_HOLD = "max-hold";
    private static final String HOLD_AT_LEAST = "hold-at-least";
    private static final String LINGER = "linger";
    private static final String ON_LOST = "on-lost";

    private final Origins origins;
    private final LockEngine engine;
    private final List<Setting> settings = new ArrayList<>();

    private Settings(Origins origins, LockEngine engine) {
        this.origins = origins;
        this.engine = engine;
    }

    /** A value in force, as text. */
    public record Setting(String key, String value, String origin) {
    }

    static List<Setting> of(LockedMethod method, Origins origins) {
        return new Settings(origins, method.engine()).method(method);
    }

    static List<Setting> of(ManagerDefaults manager, LockEngine engine, Origins origins) {
        return new Settings(origins, engine).manager(manager);
    }

    private List<Setting> method(LockedMethod method) {
        LockedDefinition definition = method.definition();
        boolean leased = engine.transactional() == null;
        add(definition, WAIT, duration(method.waitNanos()), member("waitFor", definition.waitFor()));
        if (leased) {
            add(definition, LEASE, lease(duration(method.leaseNanos())), member("lease", definition.lease()));
            add(definition, RENEW, Boolean.toString(method.renew()), member("renew", definition.renew()));
            if (method.renew()) {
                add(definition, MAX_HOLD, duration(method.maxHoldNanos()), member("maxHold", definition.maxHold()));
            }
            if (method.renew() && definition.limit() == 0 && method.settings().holdAtLeastNanos() == 0) {
                add(definition, LINGER, duration(method.settings().lingerNanos()), member("linger", definition.linger()));
            }
        }
        if (engine.features().contains(Feature.HOLD_AT_LEAST)) {
            addOwn(definition, HOLD_AT_LEAST, duration(method.settings().holdAtLeastNanos()),
                    member("holdAtLeast", definition.holdAtLeast()), Origins.BUILT_IN);
        }
        add(definition, ON_LOST, text(method.onLost()), definition.onLost() == OnLost.DEFAULT ? null
                : "@Locked(onLost = " + definition.onLost() + ")");
        return settings;
    }

    private void add(LockedDefinition definition, String key, String value, @Nullable String annotation) {
        addOwn(definition, key, value, annotation, origins.ofManager(definition.manager(), key));
    }

    private void addOwn(LockedDefinition definition, String key, String value, @Nullable String annotation, String otherwise) {
        Optional<String> override = origins.ofOverride(keys(definition), key);
        settings.add(new Setting(key, value, override.orElse(annotation == null ? otherwise : annotation)));
    }

    private static List<String> keys(LockedDefinition definition) {
        return definition.id().isEmpty() ? List.of(definition.template()) : List.of(definition.id(), definition.template());
    }

    private List<Setting> manager(ManagerDefaults manager) {
        boolean leased = engine.transactional() == null;
        add(manager, WAIT, PrintableDuration.of(manager.waitFor()));
        if (leased) {
            add(manager, LEASE, lease(PrintableDuration.of(manager.lease())));
            add(manager, RENEW, Boolean.toString(manager.renew()));
            add(manager, LINGER, PrintableDuration.of(manager.linger()));
            add(manager, MAX_HOLD, manager.maxHold() == null ? "unlimited" : PrintableDuration.of(manager.maxHold()));
        }
        add(manager, ON_LOST, text(manager.onLost()));
        return settings;
    }

    private void add(ManagerDefaults manager, String key, String value) {
        settings.add(new Setting(key, value, origins.ofManager(manager.name(), key)));
    }

    /** Without leases of their own, locks may end sooner: with the session of the JVM. */
    private String lease(String configured) {
        return engine.features().contains(Feature.LEASE) ? configured : "at most " + configured;
    }

    private static @Nullable String member(String member, String text) {
        return text.isEmpty() ? null : "@Locked(" + member + " = \"" + text + "\")";
    }

    private static String text(OnLost onLost) {
        return onLost.name().toLowerCase(Locale.ROOT);
    }

    private static String duration(long nanos) {
        return nanos == Long.MAX_VALUE ? "unlimited" : PrintableDuration.of(Duration.ofNanos(nanos));
    }
}
