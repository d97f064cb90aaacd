package io.quarkiverse.lock.zookeeper.runtime;

import java.util.Optional;
import java.util.function.Supplier;

import jakarta.enterprise.inject.Instance;

/**
 * What an application may have besides. Asked for when the configuration names it, so that nothing of it is loaded otherwise.
 *
 * @param credentials whoever keeps credentials
 * @param tls whoever knows keys and certificates
 */
record OtherExtensions(Supplier<Optional<CredentialsSource>> credentials, Supplier<Optional<TlsSource>> tls) {

    static final OtherExtensions NONE = new OtherExtensions(Optional::empty, Optional::empty);

    static OtherExtensions of(Instance<CredentialsSource> credentials, Instance<TlsSource> tls) {
        return new OtherExtensions(() -> first(credentials), () -> first(tls));
    }

    static <T> Optional<T> first(Instance<T> beans) {
        return beans.isResolvable() ? Optional.of(beans.get()) : Optional.empty();
    }
}
