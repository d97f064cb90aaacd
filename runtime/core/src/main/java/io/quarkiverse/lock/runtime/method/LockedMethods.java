package io.quarkiverse.lock.runtime.method;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

import jakarta.interceptor.InvocationContext;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.runtime.config.LockRuntimeConfig;
import io.quarkiverse.lock.runtime.config.OverrideVariables;
import io.quarkiverse.lock.runtime.manager.LockEngines;
import io.quarkiverse.lock.runtime.name.LockName;
import io.quarkus.arc.Subclass;
import io.quarkus.runtime.configuration.ConfigurationException;

/**
 * The {@code @Locked} methods of the application. Filled with definitions when its classes are initialized, usable once it has
 * started: only then the configuration is known.
 */
public final class LockedMethods {

    private final List<Entry> entries = new ArrayList<>();
    private volatile @Nullable LockedMethodTable table;
    private volatile boolean off;

    record Entry(Class<?> beanClass, Method method, List<LockName> names, @Nullable Fallback fallback,
            LockedDefinition definition) {
    }

    public void define(Class<?> beanClass, Method method, List<LockName> names, @Nullable Fallback fallback,
            LockedDefinition definition) {
        entries.add(new Entry(beanClass, method, names, fallback, definition));
    }

    public void start(LockRuntimeConfig config, LockEngines engines) {
        if (engines.off()) {
            off = true;
            return;
        }
        List<String> problems = new ArrayList<>();
        TemplateOverrides overrides = new TemplateOverrides(config, OverrideVariables.find(), problems);
        LockedMethodTable table = new LockedMethodTable(entries.size());
        for (Entry entry : entries) {
            LockedMethod method = new LockedMethodSettings(config, overrides, entry.definition, problems)
                    .resolve(entry.names, entry.fallback, engines);
            if (method != null) {
                table.put(entry.beanClass, entry.method, method);
            }
        }
        overrides.checkUnused();
        if (!problems.isEmpty()) {
            throw new ConfigurationException(String.join("\n", problems));
        }
        this.table = table;
    }

    /**
     * The method that an interceptor was called for. The bean's class is part of the key because two beans can inherit one
     * method under different annotations of their classes.
     *
     * @return {@code null} if locks are switched off
     * @throws IllegalStateException if the application has not started yet
     */
    public @Nullable LockedMethod of(InvocationContext context) {
        Object target = context.getTarget();
        Method method = context.getMethod();
        LockedMethodTable table = this.table;
        if (table == null) {
            if (off) {
                return null;
            }
            throw new IllegalStateException(
                    method + " was called before the application started: locks can be taken from the start-up event on");
        }
        LockedMethod found = table.find(beanClass(target, method), method);
        if (found == null) {
            throw new IllegalStateException("@Locked does not work on " + method + " of " + target
                    + ": only on methods of classes that are beans, and on static methods that carry the annotation");
        }
        return found;
    }

    /** In no particular order; none if locks are switched off or the application has not started yet. */
    public List<LockedMethod> all() {
        LockedMethodTable table = this.table;
        return table == null ? List.of() : table.all();
    }

    private static Class<?> beanClass(@Nullable Object target, Method method) {
        if (target == null) {
            return method.getDeclaringClass();
        }
        Class<?> type = target.getClass();
        while (Subclass.class.isAssignableFrom(type)) { // a spy is a subclass of the one that intercepts
            type = type.getSuperclass();
        }
        return type;
    }
}
