package io.quarkiverse.lock.jpa.runtime;

import io.quarkus.arc.runtime.BeanContainer;
import io.quarkus.runtime.annotations.Recorder;

/** Prepares the tables while the application starts. */
@Recorder
public class JpaLockRecorder {

    public void prepare(BeanContainer beans) {
        beans.beanInstance(JpaLockBackendProvider.class).prepare();
    }
}
