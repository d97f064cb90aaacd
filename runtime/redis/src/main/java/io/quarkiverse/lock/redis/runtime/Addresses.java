package io.quarkiverse.lock.redis.runtime;

import java.net.URI;
import java.util.Set;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

import io.quarkus.redis.runtime.client.config.RedisClientConfig;

/** The servers of a Redis client, for people: without user and password. */
final class Addresses {

    private Addresses() {
    }

    /** Each as {@code host:port/database}, in the same order everywhere. */
    static String of(RedisClientConfig client) {
        if (client.hosts().isEmpty()) {
            return client.hostsProviderName().isPresent() ? "the hosts of '" + client.hostsProviderName().get() + "'"
                    : "no hosts";
        }
        Set<String> servers = new TreeSet<>();
        for (URI each : client.hosts().get()) { // no lambda: this is part of every start
            servers.add(of(each));
        }
        return String.join(", ", servers);
    }

    private static String of(URI server) {
        boolean socket = "unix".equals(server.getScheme());
        String host = socket ? server.getPath() : server.getHost();
        if (host == null) {
            return "an unreadable address"; // which the client will refuse
        }
        return socket ? host + '/' + database(null, server.getRawQuery())
                : host + ':' + NodeClients.port(server) + '/'
                        + database(server.getPath(), server.getRawQuery());
    }

    /** As the client reads it: from the path, or else from a parameter. */
    private static String database(@Nullable String path, @Nullable String query) {
        if (path != null && path.length() > 1) {
            return path.substring(1);
        }
        for (String each : query == null ? new String[0] : query.split("&")) {
            if (each.startsWith("db=")) {
                return each.substring(3);
            }
        }
        return "0";
    }
}
