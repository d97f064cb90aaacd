package io.quarkiverse.lock.it;

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

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import io.quarkiverse.lock.it.reach.ReachedCode;

/** The input for native-image that the profile {@code native-sources} has written. */
public final class NativeSources {

    private static final Path SOURCES = Path.of("target", "native-sources");
    private static final String SETTINGS = "META-INF/native-image/";

    /** An image cannot contain their instances, so a class that has one in a static field must be initialized at run time. */
    private static final List<Class<?>> NOT_IN_AN_IMAGE = List.of(Thread.class, Random.class, Executor.class,
            Cleaner.class);

    private NativeSources() {
    }

    public static List<Pattern> includedResources() throws IOException {
        List<Pattern> included = new ArrayList<>();
        for (JsonNode resource : settings("resource-config.json").at("/resources/includes")) {
            included.add(Pattern.compile(resource.get("pattern").asText()));
        }
        return included;
    }

    /** Names of resource bundles. */
    public static List<String> bundles() throws IOException {
        List<String> names = new ArrayList<>();
        settings("resource-config.json").get("bundles").forEach(bundle -> names.add(bundle.get("name").asText()));
        return names;
    }

    /** The interfaces of each proxy, separated by commas. */
    public static List<String> proxies() throws IOException {
        List<String> all = new ArrayList<>();
        settings("proxy-config.json").forEach(proxy -> {
            List<String> names = new ArrayList<>();
            (proxy.isArray() ? proxy : proxy.get("interfaces")).forEach(name -> names.add(name.asText()));
            all.add(String.join(",", names));
        });
        return all;
    }

    /** Names of classes. */
    public static List<String> reflective() throws IOException {
        List<String> names = new ArrayList<>();
        reflection().forEach(type -> names.add(type.get("name").asText()));
        return names;
    }

    /** The extension's code in the executable. */
    public static ReachedCode reached() throws IOException {
        return ReachedCode.of(SOURCES, reflective());
    }

    /** What is registered for each class. */
    public static JsonNode reflection() throws IOException {
        return settings("reflect-config.json");
    }

    /** The directory of the jars. */
    public static Path directory() {
        return SOURCES;
    }

    /** The generated class that tells native-image when to initialise what; the names are in its constants. */
    public static String feature() throws IOException {
        return new String(read("io/quarkus/runner/Feature.class"), StandardCharsets.ISO_8859_1);
    }

    /** The arguments with which native-image would be called. */
    public static String arguments() throws IOException {
        return Files.readString(SOURCES.resolve("native-image.args"));
    }

    /** The extension's classes in this class' jar that cannot be initialized when the image is built. */
    public static List<String> notInAnImage(Class<?> ofJar) {
        return entries(ofJar, ".class").stream()
                .map(entry -> entry.replace('/', '.').substring(0, entry.length() - ".class".length()))
                .filter(name -> holdsWhatCannotBeInAnImage(name, ofJar.getClassLoader())).toList();
    }

    private static boolean holdsWhatCannotBeInAnImage(String name, ClassLoader loader) {
        try {
            for (Field field : Class.forName(name, false, loader).getDeclaredFields()) {
                if (Modifier.isStatic(field.getModifiers())
                        && NOT_IN_AN_IMAGE.stream().anyMatch(type -> type.isAssignableFrom(field.getType()))) {
                    return true;
                }
            }
            return false;
        } catch (ClassNotFoundException | NoClassDefFoundError e) {
            // Written for an extension that this application does not have
            return false;
        }
    }

    /** The extension's own entries of this class' jar. */
    public static List<String> entries(Class<?> ofJar, String suffix) {
        try (var jar = new JarFile(Path.of(ofJar.getProtectionDomain().getCodeSource().getLocation().getPath()).toFile())) {
            return jar.stream().map(entry -> entry.getName())
                    .filter(name -> name.startsWith("io/quarkiverse/lock/") && name.endsWith(suffix)).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static JsonNode settings(String file) throws IOException {
        return new ObjectMapper().readTree(read(SETTINGS + file));
    }

    private static byte[] read(String entry) throws IOException {
        try (var files = Files.list(SOURCES)) {
            Path runner = files.filter(file -> file.toString().endsWith("-runner.jar")).findFirst().orElseThrow();
            try (var jar = new JarFile(runner.toFile())) {
                return jar.getInputStream(jar.getJarEntry(entry)).readAllBytes();
            }
        }
    }
}
