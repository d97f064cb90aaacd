package io.quarkiverse.lock.it.models;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A separate JVM for TLC, which keeps its state in static fields and ends the JVM as it likes. Loading its classes takes longer
 * than most checks, so they come from an archive, which a first run writes. A JVM that cannot use it loads them itself.
 */
final class TlcJvm {

    /** How long a check may take on a machine that is also busy with other work. */
    static final long LONGEST_SECONDS = 300;

    private static final String MODEL = """
            ---- MODULE First ----
            EXTENDS Integers, Sequences, FiniteSets, TLC
            CONSTANTS Clients, None
            VARIABLES owner, asked, line
            Perms == Permutations(Clients)
            Init == owner = None /\\ asked = [c \\in Clients |-> [times |-> 0]] /\\ line = <<>>
            Ask(c) == /\\ asked[c].times < 1 /\\ asked' = [asked EXCEPT ![c].times = @ + 1] /\\ line' = Append(line, c)
                      /\\ UNCHANGED owner
            Take == /\\ owner = None /\\ Len(line) > 0 /\\ owner' = Head(line) /\\ line' = Tail(line) /\\ UNCHANGED asked
            Next == Take \\/ \\E c \\in Clients: Ask(c)
            Spec == Init /\\ [][Next]_<<owner, asked, line>>
            Asked == owner # None => Cardinality({c \\in Clients: asked[c].times > 0}) > 0
            ====
            """;
    private static final String CONFIGURATION = """
            SPECIFICATION Spec
            CONSTANTS
              Clients = {c1, c2}
              None = None
            SYMMETRY Perms
            INVARIANTS
              Asked
            """;

    private TlcJvm() {
    }

    /** Whether it has ended in time. Its output goes to the file. */
    static boolean run(Path work, String model, Path output) throws IOException, InterruptedException {
        return run(work, model, output, "-XX:SharedArchiveFile=" + Classes.ARCHIVE);
    }

    private static boolean run(Path work, String model, Path output, String archive) throws IOException, InterruptedException {
        // -deadlock: do not look for deadlocks, since the bounds end every run. TLC unpacks its own modules into the temporary
        // directory, where another instance would read half of them
        Process tlc = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx1200m", archive, "-Djava.io.tmpdir=" + work, "-cp", jar(),
                "tlc2.TLC", "-deadlock", "-workers", "1", "-checkpoint", "0", "-metadir", work.resolve("states").toString(),
                "-config", "check.cfg",
                model + ".tla").directory(work.toFile()).redirectErrorStream(true).redirectOutput(output.toFile()).start();
        try {
            return tlc.waitFor(LONGEST_SECONDS, SECONDS);
        } finally {
            tlc.destroyForcibly();
        }
    }

    /** Written at first use. */
    private static final class Classes {

        private static final Path ARCHIVE = write();

        private static Path write() {
            Path work = Tlc.WORK.resolve("first");
            Path archive = work.resolve("classes.jsa");
            try {
                Files.createDirectories(work);
                Files.deleteIfExists(archive);
                Files.writeString(work.resolve("First.tla"), MODEL);
                Files.writeString(work.resolve("check.cfg"), CONFIGURATION);
                run(work, "First", work.resolve("output.txt"), "-XX:ArchiveClassesAtExit=" + archive);
            } catch (IOException e) {
                // without an archive each JVM loads its classes itself
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
            return archive;
        }
    }

    private static String jar() {
        try {
            return Path.of(tlc2.TLC.class.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
