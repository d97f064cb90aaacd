package io.quarkiverse.lock.deployment.rule;

import org.jboss.jandex.DotName;
import org.jboss.logging.Logger;

import io.quarkiverse.lock.Locked.OnBusy;
import io.quarkiverse.lock.deployment.method.LockedMethodBuildItem;

/** Warns about methods whose results are cached, outside the lock, even if they are not the method's own. */
public final class CachedSubstitutes {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.lock");

    private static final DotName CACHE_RESULT = DotName.createSimple("io.quarkus.cache.CacheResult");

    private CachedSubstitutes() {
    }

    /** Silent if a busy lock is a failure, which is not cached. */
    public static void warn(LockedMethodBuildItem locked) {
        OnBusy onBusy = locked.definition().onBusy();
        if (onBusy != OnBusy.FAIL && locked.candidate().method().hasDeclaredAnnotation(CACHE_RESULT)) {
            LOG.warnf(
                    "[%s] has @CacheResult, which is outside the lock: if the lock is busy once, %s is cached, and all callers "
                            + "get that until the entry expires. Remove onBusy = %s and handle LockBusyException where the method is "
                            + "called, since a failure is not cached",
                    locked.definition().description(),
                    onBusy == OnBusy.SKIP ? "nothing as the result" : "what the fallback returns",
                    onBusy);
        }
    }
}
