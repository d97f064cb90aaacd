package io.quarkiverse.lock.runtime.method;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Locked methods of objects that a proxy intercepts. A producer may pass an object of any subclass or implementation of its
 * declared type, so methods are found by an {@code instanceof} check.
 */
final class ProxiedMethods {

    private final Map<Method, List<Proxied>> methods = new HashMap<>();

    private record Proxied(Class<?> type, LockedMethod method) {
    }

    void put(Class<?> type, Method method, LockedMethod value) {
        List<Proxied> known = methods.computeIfAbsent(method, none -> new ArrayList<>());
        int index = 0;
        while (index < known.size() && !known.get(index).type.isAssignableFrom(type)) {
            index++;
        }
        known.add(index, new Proxied(type, value)); // before its parents
    }

    /** Finds the nearest type if the object is an instance of several: the build has made sure that these lock alike. */
    @Nullable
    LockedMethod find(Object target, Method method) {
        for (Proxied each : methods.getOrDefault(method, List.of())) {
            if (each.type.isInstance(target)) {
                return each.method;
            }
        }
        return null;
    }
}
