package io.quarkiverse.lock.it.reach;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.tree.ClassNode;

/** The classes that native-image gets. */
final class Jars implements AutoCloseable {

    private static final String SUFFIX = ".class";

    private final List<JarFile> open = new ArrayList<>();
    private final Map<String, JarFile> libraries = new HashMap<>();
    private final Map<String, JarFile> application = new HashMap<>();
    private final Map<String, ClassNode> read = new HashMap<>();
    private final Map<String, Boolean> ofJdk = new HashMap<>();

    /** @param directory with the application's jar and those of its libraries */
    Jars(Path directory) throws IOException {
        try (var files = Files.walk(directory)) {
            for (Path path : files.filter(file -> file.toString().endsWith(".jar")).toList()) {
                JarFile jar = new JarFile(path.toFile());
                open.add(jar);
                Map<String, JarFile> kind = path.toString().endsWith("-runner.jar") ? application : libraries;
                jar.stream().map(JarEntry::getName).filter(name -> name.endsWith(SUFFIX))
                        .forEach(name -> kind.put(name.substring(0, name.length() - SUFFIX.length()), jar));
            }
        }
    }

    /** The application's own and generated classes. */
    Set<String> ofApplication() {
        return application.keySet();
    }

    /** Whether the class is part of this extension. */
    boolean ofExtension(String name) {
        return name.startsWith("io/quarkiverse/lock/") && !application.containsKey(name) && libraries.containsKey(name);
    }

    boolean exists(String name) {
        return application.containsKey(name) || libraries.containsKey(name) || ofJdk.computeIfAbsent(name,
                absent -> ClassLoader.getPlatformClassLoader().getResource(absent + SUFFIX) != null);
    }

    /** {@code null} for a class of the JDK or one that does not exist. */
    @Nullable
    ClassNode find(String name) {
        JarFile jar = application.getOrDefault(name, libraries.get(name));
        return jar == null ? null : read.computeIfAbsent(name, absent -> read(jar, absent));
    }

    private static ClassNode read(JarFile jar, String name) {
        try (var bytes = jar.getInputStream(jar.getJarEntry(name + SUFFIX))) {
            ClassNode node = new ClassNode();
            new ClassReader(bytes).accept(node, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
            return node;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        for (JarFile jar : open) {
            jar.close();
        }
    }
}
