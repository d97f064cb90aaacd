package io.quarkiverse.lock.it.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ref.Cleaner;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executor;
import java.util.jar.JarFile;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.redis.RedisLockBackend;
import io.quarkiverse.lock.redis.runtime.RedisLockBackendProvider;

/**
 * What native-image would be given. Run with the profile {@code native-sources}, which writes it; does not need native-image.
 */
class NativeSourcesCheck {

    private static final Path SOURCES = Path.of("target", "native-sources");
    private static final String SETTINGS = "META-INF/native-image/";

    /** Their instances do not survive in an image, so a class that has one in a static field must start at run time. */
    private static final List<Class<?>> NOT_IN_AN_IMAGE = List.of(Thread.class, Random.class, Executor.class,
            Cleaner.class);

    @Test
    void containsEveryScript() throws IOException {
        List<Pattern> included = new ArrayList<>();
        for (JsonNode resource : settings("resource-config.json").at("/resources/includes")) {
            included.add(Pattern.compile(resource.get("pattern").asText()));
        }
        List<String> scripts = entries(RedisLockBackend.class, ".lua");
        assertThat(scripts).hasSizeGreaterThanOrEqualTo(5)
                .allMatch(script -> included.stream().anyMatch(pattern -> pattern.matcher(script).matches()));
    }

    @Test
    void registersWhatIsReadByReflection() throws IOException {
        List<String> names = new ArrayList<>();
        settings("reflect-config.json").forEach(type -> names.add(type.get("name").asText()));
        assertThat(names).contains(RedisLockBackendProvider.class.getName(), LockInfo.class.getName(),
                "io.quarkiverse.lock.runtime.LockRuntimeConfig$$CMImpl",
                "io.quarkiverse.lock.redis.runtime.RedisLockConfig$$CMImpl");
        // Names of locks are compiled: nothing of an argument's class is looked up
        assertThat(names).doesNotContain(Order.class.getName(), Order.Customer.class.getName());
    }

    @Test
    void startsAtRunTimeWhatCannotBeInAnImage() throws Exception {
        String feature = feature();
        assertThat(feature).contains("io.vertx.redis.client.impl.types.BulkType");
        List<String> classes = new ArrayList<>(entries(LockManager.class, ".class"));
        classes.addAll(entries(RedisLockBackend.class, ".class"));
        assertThat(classes).hasSizeGreaterThan(100);
        for (String entry : classes) {
            String name = entry.replace('/', '.').substring(0, entry.length() - ".class".length());
            if (holdsWhatCannotBeInAnImage(name)) {
                assertThat(feature).as("initialised at run time").contains(name);
            }
        }
    }

    private static boolean holdsWhatCannotBeInAnImage(String name) {
        try {
            for (Field field : Class.forName(name, false, LockManager.class.getClassLoader()).getDeclaredFields()) {
                if (Modifier.isStatic(field.getModifiers())
                        && NOT_IN_AN_IMAGE.stream().anyMatch(type -> type.isAssignableFrom(field.getType()))) {
                    return true;
                }
            }
            return false;
        } catch (ClassNotFoundException | NoClassDefFoundError e) {
            // Made for an extension that this application does not have
            return false;
        }
    }

    private static JsonNode settings(String file) throws IOException {
        return new ObjectMapper().readTree(read(SETTINGS + file));
    }

    /** The generated class that tells native-image when to initialise what; the names are in its constants. */
    private static String feature() throws IOException {
        return new String(read("io/quarkus/runner/Feature.class"), StandardCharsets.ISO_8859_1);
    }

    private static byte[] read(String entry) throws IOException {
        try (var files = Files.list(SOURCES)) {
            Path runner = files.filter(file -> file.toString().endsWith("-runner.jar")).findFirst().orElseThrow();
            try (var jar = new JarFile(runner.toFile())) {
                return jar.getInputStream(jar.getJarEntry(entry)).readAllBytes();
            }
        }
    }

    private static List<String> entries(Class<?> ofJar, String suffix) {
        try (var jar = new JarFile(Path.of(ofJar.getProtectionDomain().getCodeSource().getLocation().getPath()).toFile())) {
            return jar.stream().map(entry -> entry.getName())
                    .filter(name -> name.startsWith("io/quarkiverse/lock/") && name.endsWith(suffix)).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
