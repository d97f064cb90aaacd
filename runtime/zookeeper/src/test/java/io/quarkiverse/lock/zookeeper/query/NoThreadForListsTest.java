package io.quarkiverse.lock.zookeeper.query;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.zookeeper.errors.ErrorMessages;
import io.quarkiverse.lock.zookeeper.options.ZooKeeperLockOptions;

/** A JVM that can start no more threads. */
class NoThreadForListsTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    @Test
    @Fault(324)
    void fault324_listFailsWhenNoThreadCanStart() {
        var errors = new ErrorMessages(ZooKeeperLockOptions.STANDARD, "/quarkus-lock");
        var listing = new Listing(null, null, "/quarkus-lock", null, null, null, errors, 1);
        try (var lists = new ListThread(listing, SOON, errors, task -> {
            throw new OutOfMemoryError("no thread, on purpose");
        })) {
            CompletableFuture<LockQuery.Page> list = lists.page(LockQuery.ALL).subscribeAsCompletionStage();
            assertThatThrownBy(() -> list.get(SOON.toSeconds(), TimeUnit.SECONDS))
                    .hasCauseInstanceOf(LockBackendException.class).hasMessageContaining("no thread, on purpose");
        }
    }
}
