package io.quarkiverse.lock.deployment.step;

import java.util.List;

import org.jboss.jandex.ClassInfo;

import io.quarkiverse.lock.runtime.config.LockBuildTimeConfig;
import io.quarkus.arc.deployment.BuildTimeConditionBuildItem;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.builditem.CombinedIndexBuildItem;

/** Removes the answers of {@code quarkus-lock-rest} to failing locks when they are switched off. */
public class LockRestProcessor {

    /** They have no build steps of their own. */
    private static final List<String> ANSWERS = List.of("io.quarkiverse.lock.rest.BusyLocks",
            "io.quarkiverse.lock.rest.LostLocks", "io.quarkiverse.lock.rest.UnavailableLocks");

    /** {@code @IfBuildProperty} compares texts, and would take {@code yes} for a no. */
    @BuildStep
    void answers(LockBuildTimeConfig config, CombinedIndexBuildItem index,
            BuildProducer<BuildTimeConditionBuildItem> conditions) {
        if (config.rest().enabled()) {
            return;
        }
        for (String answer : ANSWERS) {
            ClassInfo known = index.getIndex().getClassByName(answer);
            if (known != null) {
                conditions.produce(new BuildTimeConditionBuildItem(known, false));
            }
        }
    }
}
