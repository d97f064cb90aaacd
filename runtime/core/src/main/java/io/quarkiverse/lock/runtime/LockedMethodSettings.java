package io.quarkiverse.lock.runtime;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.engine.HoldSettings;
import io.quarkiverse.lock.engine.ManagerDefaults;

/** Fills an annotation up with what the configuration says, and collects what is wrong with it. */
final class LockedMethodSettings {

    private final LockRuntimeConfig config;
    private final LockedDefinition definition;
    private final List<String> problems;

    LockedMethodSettings(LockRuntimeConfig config, LockedDefinition definition, List<String> problems) {
        this.config = config;
        this.definition = definition;
        this.problems = problems;
    }

    /** {@code null} if there are problems. */
    @Nullable
    LockedMethod resolve(LockName name, LockEngines engines) {
        int before = problems.size();
        ManagerDefaults defaults = engines.defaults(definition.manager());
        Duration wait = read("waitFor", definition.waitFor(), Durations::parseWait, defaults.waitFor());
        Duration lease = read("lease", definition.lease(), Durations::parseLease, defaults.lease());
        Boolean renew = read("renew", definition.renew(), Expressions::parseBoolean, defaults.renew());
        Duration maxHold = read("maxHold", definition.maxHold(), Durations::parseMaxHold, defaults.maxHold());
        checkMargin(lease);
        configure(name);
        if (problems.size() > before || wait == null || lease == null || renew == null) {
            return null;
        }
        OnLost onLost = definition.onLost() == OnLost.DEFAULT ? defaults.onLost() : definition.onLost();
        HoldSettings settings = new HoldSettings(definition.template(), Durations.nanos(wait), Durations.nanos(lease), renew,
                maxHold == null ? Long.MAX_VALUE : Durations.nanos(maxHold), onLost,
                definition.mode(), definition.limit());
        return new LockedMethod(definition, name, engines.engine(definition.manager()), settings, config.activeTransaction());
    }

    private <T> @Nullable T read(String member, String text, Function<String, T> parser, @Nullable T whenNotSet) {
        if (text.isEmpty()) {
            return whenNotSet;
        }
        try {
            return parser.apply(Expressions.resolve(text));
        } catch (IllegalArgumentException e) {
            problem("@Locked(" + member + " = \"" + text + "\"): " + e.getMessage());
            return null;
        }
    }

    private void checkMargin(@Nullable Duration lease) {
        Duration margin = config.margin().orElse(null);
        if (lease != null && margin != null && margin.compareTo(lease) >= 0) {
            problem("quarkus.lock.margin (" + margin + ") must be shorter than the lease (" + lease + ")");
        }
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
