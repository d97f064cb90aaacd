package io.quarkiverse.lock.runtime.off;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.text.PrintableName;
import io.smallrye.mutiny.Uni;

/** Valid until it is released, and never lost. It has no fencing token: a made-up one would do damage. */
public final class SwitchedOffHandle implements LockHandle {

    /** How long a lock that does not lock is valid: as long as the longest lease. */
    public static final Duration LONG = Duration.ofHours(24);

    private final String name;
    private volatile boolean released;

    SwitchedOffHandle(String name) {
        this.name = name;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long fencingToken() {
        throw new IllegalStateException("Lock '" + PrintableName.of(name) + "' has no fencing token: locks are switched off by "
                + "quarkus.lock.enabled=false");
    }

    @Override
    public long fencingToken(String one) {
        return fencingToken();
    }

    @Override
    public boolean isValid() {
        return !released;
    }

    @Override
    public Duration validFor() {
        return released ? Duration.ZERO : LONG;
    }

    @Override
    public void onLost(Runnable callback) {
        // it is never lost
    }

    @Override
    public CompletionStage<LockLostException> lost() {
        return new CompletableFuture<>();
    }

    @Override
    public boolean isReleaseRequested() {
        return false;
    }

    @Override
    public void onReleaseRequested(Runnable callback) {
        // nobody can ask for it
    }

    @Override
    public CompletionStage<Void> releaseRequested() {
        return new CompletableFuture<>();
    }

    @Override
    public void extend(Duration lease) {
        LockOptions.checkLease(lease);
        throwIfReleased();
    }

    private void throwIfReleased() {
        if (released) {
            throw new LockLostException(name, "Lock '" + PrintableName.of(name) + "' is no longer held", null);
        }
    }

    @Override
    public Uni<Void> extendAsync(Duration lease) {
        LockOptions.checkLease(lease);
        return Uni.createFrom().voidItem().onItem().invoke(() -> extend(lease));
    }

    @Override
    public void changeLease(Duration lease) {
        extend(lease);
    }

    @Override
    public Uni<Void> changeLeaseAsync(Duration lease) {
        return extendAsync(lease);
    }

    @Override
    public void changeHoldAtLeast(Duration holdAtLeast) {
        LockOptions.checkHoldAtLeast(holdAtLeast);
        throwIfReleased();
    }

    @Override
    public Uni<Void> changeHoldAtLeastAsync(Duration holdAtLeast) {
        LockOptions.checkHoldAtLeast(holdAtLeast);
        return Uni.createFrom().voidItem().onItem().invoke(() -> changeHoldAtLeast(holdAtLeast));
    }

    @Override
    public void downgrade() {
        throwIfReleased();
    }

    @Override
    public Uni<Void> downgradeAsync() {
        return Uni.createFrom().voidItem().onItem().invoke(this::downgrade);
    }

    @Override
    public Uni<Void> release() {
        released = true;
        return Uni.createFrom().voidItem();
    }

    @Override
    public void close() {
        released = true;
    }

    @Override
    public String toString() {
        return "LockHandle[" + PrintableName.of(name) + ", switched off]";
    }
}
