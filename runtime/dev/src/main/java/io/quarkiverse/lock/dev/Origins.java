package io.quarkiverse.lock.dev;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import org.eclipse.microprofile.config.ConfigProvider;

import io.quarkiverse.lock.runtime.manager.LockManagers;
import io.smallrye.config.ConfigValue;
import io.smallrye.config.SmallRyeConfig;

/**
 * Finds out where a setting comes from: an override of the method by its id or its template, its annotation, its manager, the
 * default manager, or nowhere.
 */
final class Origins {

    static final String BUILT_IN = "built-in default";

    private static final String BUILT_IN_SOURCE = "DefaultValuesConfigSource";

    private final SmallRyeConfig config = ConfigProvider.getConfig().unwrap(SmallRyeConfig.class);

    /** @param keys the keys that address a method; the first one that has the setting counts */
    Optional<String> ofOverride(List<String> keys, String setting) {
        return keys.stream().flatMap(key -> set("quarkus.lock.overrides.", key, setting).stream()).findFirst();
    }

    String ofManager(String manager, String setting) {
        Optional<String> own = manager.equals(LockManagers.DEFAULT) ? Optional.empty()
                : set("quarkus.lock.managers.", manager, setting);
        return own.or(() -> set("quarkus.lock." + setting)).orElse(BUILT_IN);
    }

    private Optional<String> set(String prefix, String key, String setting) {
        return Stream.of(prefix + '"' + key + "\"." + setting, prefix + key + '.' + setting)
                .flatMap(property -> set(property).stream()).findFirst();
    }

    private Optional<String> set(String property) {
        ConfigValue value = config.getConfigValue(property);
        if (value.getValue() == null || value.getValue().isEmpty() || value.getConfigSourceName() == null
                || value.getConfigSourceName().equals(BUILT_IN_SOURCE)) {
            return Optional.empty();
        }
        return Optional.of(property + " in " + shortened(value.getConfigSourceName()));
    }

    /** The file name in {@code PropertiesConfigSource[source=file:/.../application.properties]}. */
    private static String shortened(String source) {
        int file = source.lastIndexOf('/');
        return file < 0 || !source.endsWith("]") ? source : source.substring(file + 1, source.length() - 1);
    }
}
