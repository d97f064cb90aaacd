package io.quarkiverse.lock.deployment.rule;

import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.deployment.index.ClassChain;
import io.quarkiverse.lock.deployment.method.LockedCandidate;

/**
 * A gRPC service that extends a generated {@code ImplBase} also inherits a method that the server calls when the application
 * starts: with its lock, the start would wait for other applications, and fail while the lock is busy.
 */
final class GrpcServices {

    private static final DotName BINDABLE = DotName.createSimple("io.grpc.BindableService");

    private GrpcServices() {
    }

    /** The problem with a method that the server calls at the start; {@code null} if it is another method. */
    static @Nullable String check(IndexView index, LockedCandidate candidate) {
        return candidate.method().name().equals("bindService") && candidate.method().parametersCount() == 0
                && ClassChain.of(index, candidate.beanClass()).stream()
                        .anyMatch(type -> type.interfaceNames().contains(BINDABLE))
                                ? "@Locked would also lock bindService(), which the gRPC server calls when the application "
                                        + "starts: put it on the methods of the service, or implement the generated interface "
                                        + "instead of extending its ImplBase"
                                : null;
    }
}
