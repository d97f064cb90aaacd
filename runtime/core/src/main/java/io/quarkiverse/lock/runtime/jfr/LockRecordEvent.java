package io.quarkiverse.lock.runtime.jfr;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.news.Recording.Lock;
import io.quarkiverse.lock.engine.state.HoldSettings;
import jdk.jfr.Event;
import jdk.jfr.Label;

/** The data common to all lock events. JFR records the fields. */
abstract class LockRecordEvent extends Event {

    @Label("Name")
    String name;

    @Label("Template")
    @Nullable
    String template;

    @Label("Manager")
    String manager;

    @Label("Backend")
    String backend;

    @Label("Mode")
    String mode;

    @Label("Fencing Token")
    long token;

    final void of(Lock lock) {
        HoldSettings settings = lock.settings();
        name = lock.name();
        template = settings.template();
        manager = settings.manager();
        backend = lock.backend();
        mode = settings.modeText();
        token = lock.fencingToken();
    }
}
