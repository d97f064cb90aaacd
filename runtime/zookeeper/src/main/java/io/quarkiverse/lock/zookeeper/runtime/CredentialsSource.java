package io.quarkiverse.lock.zookeeper.runtime;

import java.util.Optional;

/** Where the credentials of this application are kept, if not in its configuration. A bean only if there is such a place. */
public interface CredentialsSource {

    /**
     * Called for each session, on the thread that begins it.
     *
     * @param name of the credentials
     * @param bean the name of the bean that keeps them, where there are several
     * @return user and password, as the scheme {@code digest} takes them: {@code user:password}
     */
    String digest(String name, Optional<String> bean);
}
