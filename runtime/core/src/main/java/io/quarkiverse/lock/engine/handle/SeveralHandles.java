package io.quarkiverse.lock.engine.handle;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.PrintableName;
import io.quarkiverse.lock.engine.handle.Handles.OpenHandle;
import io.quarkiverse.lock.engine.queue.Nothing;
import io.quarkiverse.lock.engine.thread.Losable;
import io.smallrye.mutiny.Uni;

/** Several holds as one: valid only while all are, lost with the first, released together. */
public final class SeveralHandles implements LockHandle, Losable {

    private final OpenHandle[] handles;

    SeveralHandles(OpenHandle[] handles) {
        this.handles = handles;
    }

    @Override
    public String name() {
        List<String> names = new ArrayList<>();
        for (OpenHandle each : handles) {
            names.add(each.name());
        }
        return String.join(", ", names);
    }

    @Override
    public long fencingToken() {
        throw new IllegalStateException("There is a fencing token for each of the locks '" + PrintableName.of(name())
                + "': use fencingToken(name)");
    }

    @Override
    public long fencingToken(String name) {
        for (OpenHandle each : handles) {
            if (each.name().equals(name)) {
                return each.fencingToken();
            }
        }
        throw new IllegalArgumentException(
                "Lock '" + PrintableName.of(name) + "' is not one of those held: " + PrintableName.of(name()));
    }

    @Override
    public boolean isValid() {
        for (OpenHandle each : handles) {
            if (!each.isValid()) {
                return false;
            }
        }
        return true;
    }

    @Override
    public Duration validFor() {
        Duration shortest = handles[0].validFor();
        for (OpenHandle each : handles) {
            Duration left = each.validFor();
            shortest = left.compareTo(shortest) < 0 ? left : shortest;
        }
        return shortest;
    }

    @Override
    public void onLost(Runnable callback) {
        lost().thenRun(callback);
    }

    @Override
    public CompletionStage<LockLostException> lost() {
        CompletableFuture<LockLostException> first = new CompletableFuture<>();
        for (OpenHandle each : handles) {
            each.lost().thenAccept(first::complete);
        }
        return first;
    }

    @Override
    public boolean isReleaseRequested() {
        for (OpenHandle each : handles) {
            if (each.isReleaseRequested()) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void onReleaseRequested(Runnable callback) {
        releaseRequested().thenRun(callback);
    }

    /** With the first of them. */
    @Override
    public CompletionStage<Void> releaseRequested() {
        CompletableFuture<Void> first = new CompletableFuture<>();
        for (OpenHandle each : handles) {
            each.releaseRequested().thenAccept(first::complete);
        }
        return first;
    }

    @Override
    public @Nullable LockLostException lossSoFar() {
        for (OpenHandle each : handles) {
            LockLostException loss = each.lossSoFar();
            if (loss != null) {
                return loss;
            }
        }
        return null;
    }

    @Override
    public void extend(Duration lease) {
        for (OpenHandle each : handles) {
            each.extend(lease);
        }
    }

    @Override
    public Uni<Void> extendAsync(Duration lease) {
        return oneByOne(each -> each.extendAsync(lease));
    }

    @Override
    public void changeLease(Duration lease) {
        for (OpenHandle each : handles) {
            each.changeLease(lease);
        }
    }

    @Override
    public Uni<Void> changeLeaseAsync(Duration lease) {
        return oneByOne(each -> each.changeLeaseAsync(lease));
    }

    @Override
    public void changeHoldAtLeast(Duration holdAtLeast) {
        for (OpenHandle each : handles) {
            each.changeHoldAtLeast(holdAtLeast);
        }
    }

    @Override
    public Uni<Void> changeHoldAtLeastAsync(Duration holdAtLeast) {
        return oneByOne(each -> each.changeHoldAtLeastAsync(holdAtLeast));
    }

    @Override
    public void downgrade() {
        for (OpenHandle each : handles) {
            each.downgrade();
        }
    }

    @Override
    public Uni<Void> downgradeAsync() {
        return oneByOne(OpenHandle::downgradeAsync);
    }

    @Override
    public boolean mayBeDowngraded() {
        for (OpenHandle each : handles) {
            if (!each.mayBeDowngraded()) {
                return false;
            }
        }
        return true;
    }

    private Uni<Void> oneByOne(Function<OpenHandle, Uni<Void>> change) {
        Uni<Void> all = Nothing.UNI;
        for (OpenHandle each : handles) {
            Uni<Void> one = change.apply(each);
            all = all.chain(() -> one);
        }
        return all;
    }

    /** All are sent at once, the last one first. */
    @Override
    public Uni<Void> release() {
        List<Uni<Void>> releases = new ArrayList<>();
        for (int i = handles.length - 1; i >= 0; i--) {
            releases.add(handles[i].release());
        }
        return Uni.join().all(releases).andCollectFailures().replaceWithVoid();
    }

    /** As {@link OpenHandle#giveBack}. */
    void giveBack() {
        for (int i = handles.length - 1; i >= 0; i--) {
            handles[i].giveBack();
        }
    }

    @Override
    public void close() {
        for (int i = handles.length - 1; i >= 0; i--) {
            handles[i].release(); // none waits for the answer to another
        }
        for (OpenHandle each : handles) {
            each.close();
        }
    }

    @Override
    public String toString() {
        return "LockHandle[" + PrintableName.of(name()) + ", valid=" + isValid() + "]";
    }
}
