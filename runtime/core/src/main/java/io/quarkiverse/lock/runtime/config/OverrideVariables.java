package io.quarkiverse.lock.runtime.config;

import static io.smallrye.config.common.utils.StringUtil.replaceNonAlphanumericByUnderscores;

import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import org.eclipse.microprofile.config.ConfigProvider;
import org.eclipse.microprofile.config.spi.ConfigSource;
import org.jspecify.annotations.Nullable;

import io.smallrye.config.EnvConfigSource;
import io.smallrye.config.SmallRyeConfig;

/**
 * The environment variables meant to change single locks. They cannot spell every template, and a configuration without such a
 * property silently ignores them.
 */
public final class OverrideVariables {

    public static final String PREFIX = "quarkus.lock.overrides.";
    private static final String BEGIN = spelled(PREFIX);

    /** Their names, by the name without case and profile. */
    private final Map<String, String> variables = new TreeMap<>();
    /** In variables, a quote is one more "_". */
    private final KeySpellings spellings;

    private OverrideVariables(KeySpellings spellings) {
        this.spellings = spellings;
    }

    public static OverrideVariables find(LockRuntimeConfig locks) {
        SmallRyeConfig config = ConfigProvider.getConfig().unwrap(SmallRyeConfig.class);
        OverrideVariables found = new OverrideVariables(
                locks.overrides().isEmpty() ? KeySpellings.NONE : KeySpellings.of(PREFIX));
        for (ConfigSource source : config.getConfigSources(EnvConfigSource.class)) {
            for (String variable : source.getProperties().keySet()) {
                found.add(variable, config.getProfiles());
            }
        }
        return found;
    }

    private void add(String variable, Collection<String> profiles) {
        String name = spelled(variable);
        for (String profile : profiles) {
            String begin = spelled("%" + profile + ".");
            if (name.startsWith(begin)) {
                name = name.substring(begin.length());
                break;
            }
        }
        if (name.startsWith(BEGIN)) {
            variables.put(name, variable);
        }
    }

    /** Removes the variables that set this property: a variable spells it as the properties with this template do. */
    public void settle(String template, String key) {
        if (spellings.plain(template)) {
            variables.remove(spelled(PREFIX + template + '.' + key));
        }
        if (spellings.quoted(template)) {
            variables.remove(spelled(PREFIX + '"' + template + "\"." + key));
        }
    }

    /** What is wrong with a template that properties spell in two ways; {@code null} if they do not. */
    public @Nullable String spelledTwice(String template) {
        return spellings.problem(template);
    }

    /** The variables that set nothing. */
    public Collection<String> left() {
        return variables.values();
    }

    private static String spelled(String property) {
        return replaceNonAlphanumericByUnderscores(property).toUpperCase(Locale.ROOT);
    }
}
