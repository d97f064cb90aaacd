package io.quarkiverse.lock.runtime.method;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

import jakarta.interceptor.InvocationContext;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.name.LockName;
import io.quarkiverse.lock.runtime.config.LockRuntimeConfig;
import io.quarkiverse.lock.runtime.config.OverrideVariables;
import io.quarkiverse.lock.runtime.manager.LockEngines;
import io.quarkus.arc.Subclass;
import io.quarkus.runtime.configuration.ConfigurationException;

/**
 * The {@code @Locked} methods of the application. Filled with definitions when its classes are initialized, usable once the
 * application has started: only then is the configuration known.
 */
public final class LockedMethods {

    private final List<Entry> entries = new ArrayList<>();
    private volatile @Nullable Started started;
    private volatile boolean off;

    private record Started(LockedMethodTable ofBeans, ProxiedMethods proxied, List<LockedMethod> all) {
    }

    record Entry(Class<?> beanClass, Method method, Interception interception, List<LockName> names,
            @Nullable Fallback fallback, LockedDefinition definition) {
    }

    public void define(Class<?> beanClass, Method method, Interception interception, List<LockName> names,
            @Nullable Fallback fallback, LockedDefinition definition) {
        entries.add(new Entry(beanClass, method, interception, names, fallback, definition));
    }

    public void start(LockRuntimeConfig config, LockEngines engines) {
        if (engines.off()) {
            off = true;
            return;
        }
        List<String> problems = new ArrayList<>();
        TemplateOverrides overrides = new TemplateOverrides(config, OverrideVariables.find(config), problems);
        Started started = new Started(new LockedMethodTable(entries.size()), new ProxiedMethods(), new ArrayList<>());
        for (Entry entry : entries) {
            LockedMethod method = new LockedMethodSettings(config, overrides, entry.definition, problems)
                    .resolve(entry.names, entry.fallback, engines);
            if (method != null) {
                started.all.add(method);
                if (entry.interception != Interception.PROXY) {
                    started.ofBeans.put(entry.beanClass, entry.method, method);
                }
                if (entry.interception != Interception.BEAN) {
                    started.proxied.put(entry.beanClass, entry.method, method);
                }
            }
        }
        overrides.checkUnused();
        if (!problems.isEmpty()) {
            throw new ConfigurationException(String.join("\n", problems));
        }
        this.started = started;
    }

    /**
     * The method for which an interceptor was called. The bean's class is part of the key because two beans can inherit one
     * method under different annotations of their classes. Behind an interception proxy the target is the object itself.
     *
     * @return {@code null} if locks are switched off
     * @throws IllegalStateException if the application has not started yet
     */
    public @Nullable LockedMethod of(InvocationContext context) {
        Object target = context.getTarget();
        Method method = context.getMethod();
        Started started = this.started;
        if (started == null) {
            if (off) {
                return null;
            }
            throw new IllegalStateException(
                    method + " was called before the application started: locks can be taken from the start-up event on");
        }
        LockedMethod found = target == null || target instanceof Subclass
                ? started.ofBeans.find(beanClass(target, method), method)
                : null;
        if (found == null && target != null) {
            found = started.proxied.find(target, method);
        }
        if (found == null) {
            throw new IllegalStateException("@Locked does not work on " + method + " of " + target
                    + ": only on methods of classes that are beans or that an InterceptionProxy stands for, and on static "
                    + "methods that carry the annotation");
        }
        return found;
    }

    /** In no particular order; none if locks are switched off or the application has not started yet. */
    public List<LockedMethod> all() {
        Started started = this.started;
        return started == null ? List.of() : started.all;
    }

    private static Class<?> beanClass(@Nullable Object target, Method method) {
        if (target == null) {
            return method.getDeclaringClass();
        }
        Class<?> type = target.getClass();
        while (Subclass.class.isAssignableFrom(type)) { // a spy is a subclass of the intercepting class
            type = type.getSuperclass();
        }
        return type;
    }
}
