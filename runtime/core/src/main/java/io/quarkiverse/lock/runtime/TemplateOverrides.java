package io.quarkiverse.lock.runtime;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockOptions;

/** What operators change for single templates; and those of it that change nothing, because no method has the template. */
final class TemplateOverrides {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.lock");

    private final LockRuntimeConfig config;
    private final List<String> problems;
    private final Set<String> templates = new TreeSet<>();

    TemplateOverrides(LockRuntimeConfig config, List<String> problems) {
        this.config = config;
        this.problems = problems;
        config.overrides().keySet().forEach(this::check);
    }

    /** Values are wrong even where no method has the template. */
    private void check(String template) {
        LockRuntimeConfig.Override override = config.overrides().get(template);
        check(template, "wait", () -> override.waitFor().ifPresent(Durations::checkWait));
        check(template, "lease", () -> override.lease().ifPresent(LockOptions::checkLease));
        check(template, "hold-at-least", () -> override.holdAtLeast().ifPresent(LockOptions::checkHoldAtLeast));
        check(template, "max-hold", () -> override.maxHold().ifPresent(Durations::checkMaxHold));
    }

    private void check(String template, String key, Runnable check) {
        try {
            check.run();
        } catch (IllegalArgumentException e) {
            problems.add(property(template, key) + ": " + e.getMessage());
        }
    }

    /** {@code null} if nothing is changed for this template. */
    LockRuntimeConfig.@Nullable Override of(String template) {
        templates.add(template);
        return config.overrides().get(template);
    }

    /** No failure: the same settings may be there for a version of the application that has the method. */
    void warnOfUnused() {
        for (String template : new TreeSet<>(config.overrides().keySet())) {
            if (!templates.contains(template)) {
                LOG.warnf("%s changes nothing: no @Locked method has this template; there are: %s", property(template, "*"),
                        templates.isEmpty() ? "none" : '"' + String.join("\", \"", templates) + '"');
            }
        }
    }

    static String property(String template, String key) {
        return "quarkus.lock.overrides.\"" + template + "\"." + key;
    }
}
