package io.quarkiverse.lock.deployment.step;

import java.util.Set;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Singleton;

import org.jboss.jandex.DotName;

import io.quarkiverse.lock.CurrentLock;
import io.quarkiverse.lock.LockAcquired;
import io.quarkiverse.lock.LockBusy;
import io.quarkiverse.lock.LockLost;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockManagerName;
import io.quarkiverse.lock.LockReleaseRequested;
import io.quarkiverse.lock.LockReleased;
import io.quarkiverse.lock.deployment.LockBackendReadyBuildItem;
import io.quarkiverse.lock.deployment.LockManagersBuildItem;
import io.quarkiverse.lock.runtime.LockRecorder;
import io.quarkiverse.lock.runtime.manager.LockEngines;
import io.quarkiverse.lock.runtime.manager.LockManagers;
import io.quarkiverse.lock.runtime.manager.ObservedEvents;
import io.quarkiverse.lock.runtime.method.LockedMethods;
import io.quarkus.arc.deployment.SynthesisFinishedBuildItem;
import io.quarkus.arc.deployment.SyntheticBeanBuildItem;
import io.quarkus.arc.deployment.SyntheticBeansRuntimeInitBuildItem;
import io.quarkus.bootstrap.classloading.QuarkusClassLoader;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.annotations.Consume;
import io.quarkus.deployment.annotations.ExecutionTime;
import io.quarkus.deployment.annotations.Record;
import io.quarkus.deployment.builditem.ServiceStartBuildItem;
import io.quarkus.deployment.builditem.ShutdownContextBuildItem;
import io.quarkus.deployment.builditem.ShutdownListenerBuildItem;

/** Starts the engines with the application and stops them with it. Makes their managers beans. */
public class LockStartProcessor {

    @BuildStep
    @Record(ExecutionTime.STATIC_INIT)
    LockRuntimeBuildItem create(LockRecorder recorder, BuildProducer<SyntheticBeanBuildItem> beans) {
        LockRuntimeBuildItem runtime = new LockRuntimeBuildItem(recorder.createMethods(), recorder.createEngines());
        // no client proxy, which would slow down each locked call; and created early, since interceptors hold it
        beans.produce(SyntheticBeanBuildItem.configure(LockedMethods.class)
                .scope(Singleton.class)
                .unremovable()
                .runtimeValue(runtime.methods())
                .done());
        beans.produce(SyntheticBeanBuildItem.configure(LockEngines.class) // for observers, if any
                .scope(Singleton.class)
                .runtimeValue(runtime.engines())
                .done());
        return runtime;
    }

    @BuildStep
    @Record(ExecutionTime.RUNTIME_INIT)
    void managers(LockRecorder recorder, LockRuntimeBuildItem runtime, LockManagersBuildItem managers,
            BuildProducer<SyntheticBeanBuildItem> beans) {
        for (String manager : managers.names()) {
            SyntheticBeanBuildItem.ExtendedBeanConfigurator bean = SyntheticBeanBuildItem.configure(LockManager.class)
                    // so that tests can put a mock in its place
                    .scope(ApplicationScoped.class)
                    .unremovable()
                    .setRuntimeInit()
                    .supplier(recorder.manager(runtime.engines(), manager));
            if (!manager.equals(LockManagers.DEFAULT)) {
                bean.addQualifier().annotation(LockManagerName.class).addValue("value", manager).done();
            }
            beans.produce(bean.done());
        }
    }

    @BuildStep
    @Record(ExecutionTime.RUNTIME_INIT)
    SyntheticBeanBuildItem currentLock(LockRecorder recorder, LockRuntimeBuildItem runtime) {
        return SyntheticBeanBuildItem.configure(CurrentLock.class)
                .scope(ApplicationScoped.class)
                .setRuntimeInit()
                .supplier(recorder.currentLock(runtime.engines()))
                .done();
    }

    /** After the backends' clients exist, and before application code runs. */
    @BuildStep
    @Record(ExecutionTime.RUNTIME_INIT)
    @Consume(SyntheticBeansRuntimeInitBuildItem.class)
    @Consume(LockBackendReadyBuildItem.class)
    ServiceStartBuildItem start(LockRecorder recorder, LockRuntimeBuildItem runtime, LockManagersBuildItem managers,
            SynthesisFinishedBuildItem components, ShutdownContextBuildItem shutdown,
            BuildProducer<LocksStartedBuildItem> started) {
        recorder.start(runtime.engines(), runtime.methods(), managers.backendNames(), observed(components), shutdown);
        started.produce(new LocksStartedBuildItem());
        return new ServiceStartBuildItem("lock");
    }

    /** Without {@code org.crac}, no class that depends on it is loaded. */
    @BuildStep
    @Record(ExecutionTime.RUNTIME_INIT)
    @Consume(ServiceStartBuildItem.class)
    void checkpoints(LockRecorder recorder, LockRuntimeBuildItem runtime, ShutdownContextBuildItem shutdown) {
        if (QuarkusClassLoader.isClassPresentAtRuntime("org.crac.Core")) {
            recorder.hearOfCheckpoints(runtime.engines(), shutdown);
        }
    }

    private static ObservedEvents observed(SynthesisFinishedBuildItem components) {
        return new ObservedEvents(observed(components, LockAcquired.class), observed(components, LockReleased.class),
                observed(components, LockLost.class), observed(components, LockBusy.class),
                observed(components, LockReleaseRequested.class));
    }

    private static boolean observed(SynthesisFinishedBuildItem components, Class<?> event) {
        Set<DotName> types = Set.of(DotName.createSimple(event), DotName.RECORD_NAME, DotName.OBJECT_NAME);
        return components.getObservers().stream()
                .anyMatch(observer -> observer.isAsync() && types.contains(observer.getObservedType().name()));
    }

    @BuildStep
    @Record(ExecutionTime.RUNTIME_INIT)
    ShutdownListenerBuildItem shutdown(LockRecorder recorder, LockRuntimeBuildItem runtime) {
        return new ShutdownListenerBuildItem(recorder.shutdownListener(runtime.engines()));
    }
}
