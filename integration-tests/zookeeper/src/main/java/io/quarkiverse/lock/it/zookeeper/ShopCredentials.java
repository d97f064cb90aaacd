package io.quarkiverse.lock.it.zookeeper;

import java.util.Map;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkus.credentials.CredentialsProvider;

/** Keeps one user and one password. */
@ApplicationScoped
public class ShopCredentials implements CredentialsProvider {

    @Override
    public Map<String, String> getCredentials(String name) {
        return name.equals("locks") ? Map.of(USER_PROPERTY_NAME, "shop", PASSWORD_PROPERTY_NAME, "open-sesame") : Map.of();
    }
}
