package io.quarkiverse.lock.zookeeper.runtime;

import java.util.Optional;
import java.util.function.Supplier;

import jakarta.enterprise.inject.Instance;

/**
 * Other extensions that an application may have. Used only when the configuration names them, so that they are not loaded
 * otherwise.
 *
 * @param credentials the keeper of credentials
 * @param tls the source of keys and certificates
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
