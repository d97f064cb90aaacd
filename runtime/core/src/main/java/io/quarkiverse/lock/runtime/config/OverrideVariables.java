package io.quarkiverse.lock.runtime.config;

import static io.smallrye.config.common.utils.StringUtil.replaceNonAlphanumericByUnderscores;

import java.util.Collection;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import org.eclipse.microprofile.config.ConfigProvider;
import org.eclipse.microprofile.config.spi.ConfigSource;

import io.smallrye.config.EnvConfigSource;
import io.smallrye.config.NameIterator;
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
    /** The keys that some property has with quotes, and those that some has without; in variables, a quote is one more "_". */
    private final Set<String> quoted = new HashSet<>();
    private final Set<String> plain = new HashSet<>();

    private OverrideVariables() {
    }

    public static OverrideVariables find() {
        SmallRyeConfig config = ConfigProvider.getConfig().unwrap(SmallRyeConfig.class);
        OverrideVariables found = new OverrideVariables();
        for (ConfigSource source : config.getConfigSources(EnvConfigSource.class)) {
            for (String variable : source.getProperties().keySet()) {
                found.add(variable, config.getProfiles());
            }
        }
        if (!found.variables.isEmpty()) {
            for (String property : config.getPropertyNames()) {
                found.addSpelling(property);
            }
        }
        return found;
    }

    private void addSpelling(String property) {
        if (property.startsWith(PREFIX)) {
            NameIterator segments = new NameIterator(property, PREFIX.length() - 1);
            if (segments.hasNext()) {
                (property.startsWith("\"", PREFIX.length()) ? quoted : plain).add(segments.getNextSegment());
            }
        }
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
        if (plain.contains(template)) {
            variables.remove(spelled(PREFIX + template + '.' + key));
        }
        if (quoted.contains(template)) {
            variables.remove(spelled(PREFIX + '"' + template + "\"." + key));
        }
    }

    /** Whether there are properties with this template in quotes and without: those with only one of the two count. */
    public boolean spelledTwice(String template) {
        return quoted.contains(template) && plain.contains(template);
    }

    /** The variables that set nothing. */
    public Collection<String> left() {
        return variables.values();
    }

    private static String spelled(String property) {
        return replaceNonAlphanumericByUnderscores(property).toUpperCase(Locale.ROOT);
    }
}
