package io.quarkiverse.lock.runtime;

import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.CurrentLock;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.name.ConstantName;
import io.quarkiverse.lock.name.LockName;
import io.quarkiverse.lock.runtime.call.ScopedLock;
import io.quarkiverse.lock.runtime.config.LockRuntimeConfig;
import io.quarkiverse.lock.runtime.manager.CheckpointedLocks;
import io.quarkiverse.lock.runtime.manager.LockEngines;
import io.quarkiverse.lock.runtime.manager.LockListeners;
import io.quarkiverse.lock.runtime.manager.LockShutdown;
import io.quarkiverse.lock.runtime.manager.ObservedEvents;
import io.quarkiverse.lock.runtime.method.Fallback;
import io.quarkiverse.lock.runtime.method.Interception;
import io.quarkiverse.lock.runtime.method.LockedDefinition;
import io.quarkiverse.lock.runtime.method.LockedMethods;
import io.quarkus.runtime.RuntimeValue;
import io.quarkus.runtime.ShutdownContext;
import io.quarkus.runtime.annotations.Recorder;
import io.quarkus.runtime.shutdown.ShutdownConfig;
import io.quarkus.runtime.shutdown.ShutdownListener;

/** Start-up steps that the build records for the application. */
@Recorder
public class LockRecorder {

    private final RuntimeValue<LockRuntimeConfig> config;
    private final RuntimeValue<ShutdownConfig> shutdownConfig;

    public LockRecorder(RuntimeValue<LockRuntimeConfig> config, RuntimeValue<ShutdownConfig> shutdownConfig) {
        this.config = config;
        this.shutdownConfig = shutdownConfig;
    }

    public RuntimeValue<LockedMethods> createMethods() {
        return new RuntimeValue<>(new LockedMethods());
    }

    public RuntimeValue<LockName> constantName(String name) {
        return new RuntimeValue<>(new ConstantName(name));
    }

    /**
     * Initializes none of the classes: this runs while a native image is built, and what their static initializers make may
     * not belong there. Recorded classes would be initialized, so names are recorded.
     *
     * @param descriptor the method's types, in the form of the JVM
     */
    public void define(RuntimeValue<LockedMethods> methods, String beanClass, String declaringClass, String method,
            String descriptor, Interception interception, List<RuntimeValue<? extends LockName>> names,
            @Nullable RuntimeValue<? extends Fallback> fallback, LockedDefinition definition) {
        List<LockName> values = new ArrayList<>();
        for (RuntimeValue<? extends LockName> name : names) {
            values.add(name.getValue());
        }
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        try {
            Class<?>[] parameterTypes = MethodType.fromMethodDescriptorString(descriptor, loader).parameterArray();
            methods.getValue().define(Class.forName(beanClass, false, loader),
                    Class.forName(declaringClass, false, loader).getDeclaredMethod(method, parameterTypes), interception,
                    values, fallback == null ? null : fallback.getValue(), definition);
        } catch (ClassNotFoundException | NoSuchMethodException | TypeNotPresentException e) {
            throw new IllegalStateException("The class that was compiled is not the one that was analysed", e);
        }
    }

    public RuntimeValue<LockEngines> createEngines() {
        return new RuntimeValue<>(new LockEngines());
    }

    /** @param backends the backend of each manager */
    public void start(RuntimeValue<LockEngines> engines, RuntimeValue<LockedMethods> methods, Map<String, String> backends,
            ObservedEvents observed, ShutdownContext shutdown) {
        LockEngines started = engines.getValue();
        started.start(backends, config.getValue(), shutdownConfig.getValue(), LockListeners.find(observed));
        // tasks run in reverse order: before those of the backends' clients, which are already registered
        shutdown.addShutdownTask(new Runnable() {
            @Override
            public void run() {
                started.close();
            }
        });
        methods.getValue().start(config.getValue(), started);
    }

    /** Only where {@code org.crac} is part of the application. */
    public void hearOfCheckpoints(RuntimeValue<LockEngines> engines, ShutdownContext shutdown) {
        shutdown.addShutdownTask(CheckpointedLocks.register(engines.getValue()::all));
    }

    public Supplier<LockManager> manager(RuntimeValue<LockEngines> engines, String name) {
        return new Supplier<LockManager>() {
            @Override
            public LockManager get() {
                return engines.getValue().manager(name);
            }
        };
    }

    public Supplier<CurrentLock> currentLock(RuntimeValue<LockEngines> engines) {
        return new Supplier<CurrentLock>() {
            @Override
            public CurrentLock get() {
                return new ScopedLock(engines.getValue());
            }
        };
    }

    public ShutdownListener shutdownListener(RuntimeValue<LockEngines> engines) {
        return new LockShutdown(engines.getValue(), shutdownConfig.getValue());
    }
}
