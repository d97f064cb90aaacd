package io.quarkiverse.lock.testkit.server;

import static redis.embedded.core.ExecutableProvider.ENVIRONMENT_EXECUTABLE_LOCATION;
import static redis.embedded.core.ExecutableProvider.PROPERTY_EXECUTABLE_LOCATION;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;

import redis.embedded.core.ExecutableProvider;

/**
 * The program to run: the one given by the property {@code embedded.redis.executable} or the environment variable
 * {@code EMBEDDED_REDIS_EXECUTABLE}, else Redis 6.2 from the embedded-redis artifact, unpacked once per JVM.
 */
final class RedisExecutable {

    private static final File FILE = find();

    private RedisExecutable() {
    }

    static String path() {
        return FILE.getAbsolutePath();
    }

    private static File find() {
        String named = System.getProperty(PROPERTY_EXECUTABLE_LOCATION, System.getenv(ENVIRONMENT_EXECUTABLE_LOCATION));
        if (named != null && !named.isEmpty()) {
            return new File(named);
        }
        try {
            File directory = Files.createTempDirectory("redis-server-").toFile();
            File file = ExecutableProvider.newJarResourceProvider(directory).get();
            directory.deleteOnExit();
            file.deleteOnExit();
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot unpack redis-server", e);
        }
    }
}
