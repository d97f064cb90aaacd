package io.quarkiverse.lock.runtime.method;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.runtime.config.LockRuntimeConfig.Override;

/** What operators change for one method: each setting comes from the first key that has it, the id before the template. */
final class MethodOverrides {

    private final Map<String, Override> overrides;
    private final List<String> keys;

    MethodOverrides(Map<String, Override> overrides, List<String> keys) {
        this.overrides = overrides;
        this.keys = keys;
    }

    /** Whether there are any. */
    boolean any() {
        for (String key : keys) {
            if (overrides.containsKey(key)) {
                return true;
            }
        }
        return false;
    }

    <T> Optional<T> get(Function<Override, Optional<T>> setting) {
        return first(setting).flatMap(key -> setting.apply(overrides.get(key)));
    }

    /** The full name of the property with this setting; {@code null} if there is none. */
    @Nullable
    String property(String name, Function<Override, ? extends Optional<?>> setting) {
        return first(setting).map(key -> TemplateOverrides.property(key, name)).orElse(null);
    }

    private Optional<String> first(Function<Override, ? extends Optional<?>> setting) {
        return keys.stream().filter(key -> overrides.containsKey(key) && setting.apply(overrides.get(key)).isPresent())
                .findFirst();
    }
}
