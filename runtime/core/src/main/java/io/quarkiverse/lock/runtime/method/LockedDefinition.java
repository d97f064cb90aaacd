package io.quarkiverse.lock.runtime.method;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.Locked.OnBusy;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.Locked.Release;
import io.quarkiverse.lock.runtime.manager.LockManagers;

/**
 * A {@code @Locked} method as the build found it. Strings may hold property expressions; empty ones are not set.
 *
 * @param description {@code Class.method}, for messages
 * @param id another name for the template, for operators; empty if it has none
 * @param template the template as written in the annotation, several separated by commas, or the description
 * @param manager the manager's name, {@link LockManagers#DEFAULT} for the default one
 * @param transaction the transaction that the method also begins
 * @param validation how the parameters are validated before the lock's name is made from them
 * @param limit 0 for none
 */
public record LockedDefinition(String description, String id, String template, String manager, String waitFor, String lease,
        String renew,
        String maxHold, String holdAtLeast, String linger, OnBusy onBusy, OnLost onLost, Release release, ReturnKind returns,
        SkipResult skipResult, TransactionKind transaction, ValidationKind validation, LockMode mode, int limit) {
}
