package io.quarkiverse.lock.it.lookups;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

import org.objectweb.asm.ClassReader;

/**
 * A Java agent that writes down what an application looks up, packed for the JVM that runs it.
 *
 * <pre>{@code
 * var agent = new Agent(Path.of("target"));
 * new ProcessBuilder("java", agent.option(), "-jar", ...);
 * ...
 * agent.lookUps();
 * }</pre>
 */
public final class Agent {

    private static final Attributes.Name PREMAIN = new Attributes.Name("Premain-Class");
    private static final Attributes.Name RETRANSFORM = new Attributes.Name("Can-Retransform-Classes");

    private final Path record;
    private final Path agent;
    private final Path recorder;

    /** @param directory where its files are made */
    public Agent(Path directory) throws IOException {
        Files.createDirectories(directory);
        record = directory.resolve("look-ups.tsv").toAbsolutePath();
        Files.deleteIfExists(record);
        recorder = jar(directory.resolve("look-ups-recorder.jar"), new Manifest(), List.of("LookUps"));
        var manifest = new Manifest();
        Attributes main = manifest.getMainAttributes();
        main.put(PREMAIN, LookUpAgent.class.getName());
        main.put(RETRANSFORM, "true");
        main.put(Attributes.Name.CLASS_PATH, ClassReader.class.getProtectionDomain().getCodeSource().getLocation().toString());
        agent = jar(directory.resolve("look-ups-agent.jar"), manifest, List.of("LookUpAgent", "LookUpAgent$Told",
                "LookUpAgent$Telling", "LookUpAgent$Telling$1", "LookUpAgent$Beginning", "LookUpAgent$1", "LookUp",
                "LookUp$Kind"));
    }

    /** Of the command that starts a JVM; several may write to the same record. */
    public String option() {
        return "-javaagent:" + agent + "=" + recorder + "," + record;
    }

    public List<LookUp> lookUps() throws IOException {
        try (var lines = Files.lines(record)) {
            return lines.distinct().map(LookUp::parse).toList();
        }
    }

    private static Path jar(Path file, Manifest manifest, List<String> classes) throws IOException {
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        try (var jar = new JarOutputStream(Files.newOutputStream(file), manifest)) {
            classes.forEach(name -> add(name, jar));
        }
        return file.toAbsolutePath();
    }

    private static void add(String name, JarOutputStream jar) {
        try (var code = Agent.class.getResourceAsStream(name + ".class")) {
            if (code == null) {
                return; // what the compiler has made of a switch, or not
            }
            jar.putNextEntry(new JarEntry(Agent.class.getPackageName().replace('.', '/') + '/' + name + ".class"));
            code.transferTo(jar);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
