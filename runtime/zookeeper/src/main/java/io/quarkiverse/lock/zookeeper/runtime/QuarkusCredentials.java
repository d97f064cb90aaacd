package io.quarkiverse.lock.zookeeper.runtime;

import java.util.Map;
import java.util.Optional;

import jakarta.inject.Singleton;

import io.quarkus.credentials.CredentialsProvider;
import io.quarkus.credentials.runtime.CredentialsProviderFinder;

/** Credentials that a {@link CredentialsProvider} keeps. */
@Singleton
public class QuarkusCredentials implements CredentialsSource {

    @Override
    public String digest(String name, Optional<String> bean) {
        Map<String, String> found;
        try {
            found = CredentialsProviderFinder.find(bean.orElse(null)).getCredentialsAsync(name).await().indefinitely();
        } catch (RuntimeException e) {
            throw Property.wrong("credentials-provider", "=" + name + ", but these credentials cannot be obtained: " + e);
        }
        if (found == null) {
            throw Property.wrong("credentials-provider",
                    "=" + name + ", but the credentials provider has no such credentials");
        }
        String user = found.get(CredentialsProvider.USER_PROPERTY_NAME);
        String password = found.get(CredentialsProvider.PASSWORD_PROPERTY_NAME);
        if (user == null || password == null) {
            throw Property.wrong("credentials-provider", "=" + name + ", but these credentials have no "
                    + (user == null ? CredentialsProvider.USER_PROPERTY_NAME : CredentialsProvider.PASSWORD_PROPERTY_NAME)
                    + "; the digest scheme needs both");
        }
        return user + ':' + password;
    }
}
