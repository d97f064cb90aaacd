package io.quarkiverse.lock.deployment;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jboss.jandex.DotName;

import io.quarkiverse.lock.Locked;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/** Types that the build looks for. */
final class LockDotNames {

    static final DotName LOCKED = DotName.createSimple(Locked.class);
    static final DotName TRANSACTIONAL = DotName.createSimple("jakarta.transaction.Transactional");
    static final DotName WITH_TRANSACTION = DotName
            .createSimple("io.quarkus.hibernate.reactive.panache.common.WithTransaction");
    static final DotName UNI = DotName.createSimple(Uni.class);
    static final DotName MULTI = DotName.createSimple(Multi.class);
    static final DotName COMPLETION_STAGE = DotName.createSimple(CompletionStage.class);
    static final DotName COMPLETABLE_FUTURE = DotName.createSimple(CompletableFuture.class);
    static final DotName CONTINUATION = DotName.createSimple("kotlin.coroutines.Continuation");

    private LockDotNames() {
    }
}
