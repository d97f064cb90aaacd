package io.quarkiverse.lock.runtime.manager;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.spi.LockBackendProvider;
import io.quarkiverse.lock.spi.PrintableDuration;
import io.quarkiverse.lock.text.PrintableName;
import io.quarkus.runtime.shutdown.ShutdownConfig;

/** What an application logs about its locks when it starts: where they are kept, and their defaults. */
final class StartLine {

    private static final Logger LOG = Logger.getLogger(StartLine.class);

    private final List<String> managers = new ArrayList<>();

    /** Empty also if the provider fails: that is no reason not to start. */
    static String place(LockBackendProvider provider) {
        try {
            @Nullable
            String place = provider.place();
            if (place != null) {
                return place;
            }
            LOG.debugf("Lock backend '%s' says null of where it keeps locks", provider.name());
        } catch (RuntimeException e) {
            LOG.debugf(e, "Lock backend '%s' does not say where it keeps locks", provider.name());
        }
        return "";
    }

    /** @param place as the backend describes it; may be empty */
    void add(String manager, String backend, String place, ManagerDefaults defaults, LockEngine engine) {
        managers.add((manager.equals(LockManagers.DEFAULT) ? "" : "those of manager '" + PrintableName.of(manager) + "' ")
                + "by '" + backend + "' (" + (place.isEmpty() ? "" : PrintableName.oneLine(place) + "; ")
                + "wait " + PrintableDuration.of(defaults.waitFor())
                + (engine.transactional() != null ? ", in the caller's transaction" : lease(defaults, engine))
                + ", on loss " + defaults.onLost().name().toLowerCase(Locale.ROOT) + ')');
    }

    /** Without leases of their own, locks may end sooner: with the session of the JVM. */
    private static String lease(ManagerDefaults defaults, LockEngine engine) {
        Duration maxHold = defaults.maxHold();
        return ", lease " + (engine.features().contains(Feature.LEASE) ? "" : "at most ")
                + PrintableDuration.of(defaults.lease())
                + (!defaults.renew() ? ", not renewed"
                        : maxHold == null ? ", renewed" : ", renewed for " + PrintableDuration.of(maxHold));
    }

    void log(String namespace, long fencingFloor, String owner, ShutdownConfig shutdown) {
        LOG.info("Locks are kept " + String.join(", ", managers) + ", in the namespace '" + PrintableName.of(namespace)
                + "'" + (fencingFloor == 0 ? "" : ", with fencing tokens above " + fencingFloor)
                + ", for owner '" + PrintableName.of(owner) + "'; shutdown " + (shutdown.isTimeoutEnabled()
                        ? "waits up to " + PrintableDuration.of(shutdown.timeout().orElse(Duration.ZERO))
                                + " for their holders"
                        : "does not wait for their holders"
                                + (shutdown.timeout().isEmpty() ? " (quarkus.shutdown.timeout is not set)" : "")));
    }
}
