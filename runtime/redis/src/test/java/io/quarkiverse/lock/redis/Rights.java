package io.quarkiverse.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.quarkiverse.lock.redis.script.Script;
import io.quarkiverse.lock.testkit.server.TinyRedis;

/** What a user of locks may do, as the guide and messages say, and what scripts do. */
public final class Rights {

    private static final Path PAGES = Path.of("../../docs/modules/ROOT/pages");
    private static final Pattern COMMAND = Pattern.compile("ACL SETUSER \\S+ ([^;-]+)");
    private static final Pattern CALL = Pattern.compile("(?:redis\\.p?call|s\\.write)\\(([^,)]+)");
    /** What connections need besides scripts. */
    private static final Set<String> OF_CONNECTIONS = Set.of("hello", "ping", "client|setname", "eval", "evalsha", "subscribe");

    private Rights() {
    }

    /** Those that a page gives to the user of locks, without its password. */
    public static List<String> inGuide(String page) {
        try {
            return words(Files.readString(PAGES.resolve(page + ".adoc"))).filter(word -> !word.matches("on|>.*")).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The commands that they allow to scripts. */
    public static Set<String> commands(Stream<String> rights) {
        return rights.filter(right -> right.startsWith("+")).map(right -> right.substring(1))
                .filter(command -> !OF_CONNECTIONS.contains(command)).collect(Collectors.toCollection(TreeSet::new));
    }

    /** The commands that the user may use after doing what a message says. */
    public static Set<String> inMessage(String message, TinyRedis redis) {
        return commands(words(message).flatMap(right -> right.startsWith("+@")
                ? redis.list("ACL", "CAT", right.substring(2)).stream().map(command -> "+" + command)
                : Stream.of(right)));
    }

    /** The commands that scripts call: those of a quorum, or all others. */
    public static Set<String> calledByScripts(boolean ofQuorum) {
        var called = Arrays.stream(Script.values()).filter(script -> script.name().startsWith("QUORUM_") == ofQuorum)
                .flatMap(script -> CALL.matcher(script.text() + inGrace(script)).results()).map(Rights::command)
                .collect(Collectors.toCollection(TreeSet::new));
        called.remove("command"); // that of s.write(), whose callers name it
        return called;
    }

    private static String inGrace(Script script) {
        try {
            return script.markedText();
        } catch (IllegalArgumentException e) {
            return ""; // it is the same
        }
    }

    private static String command(MatchResult call) {
        String said = call.group(1);
        assertThat(said).as("each call names its command").matches("'[A-Z]+'|command");
        return said.replace("'", "").toLowerCase(Locale.ROOT);
    }

    private static Stream<String> words(String text) {
        var command = COMMAND.matcher(text);
        assertThat(command.find()).as("there is a command in: %s", text).isTrue();
        return Arrays.stream(command.group(1).split("\\s+"));
    }
}
