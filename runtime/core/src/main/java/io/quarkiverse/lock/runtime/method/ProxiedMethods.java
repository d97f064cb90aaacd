package io.quarkiverse.lock.runtime.method;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Locked methods of objects that are intercepted by a proxy. A producer may pass an object of any subclass of what it declares,
 * or of any class that implements it, so they are found by what they are instances of.
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

    /** For the nearest type, where the object is an instance of several: the build has seen to it that these lock alike. */
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
