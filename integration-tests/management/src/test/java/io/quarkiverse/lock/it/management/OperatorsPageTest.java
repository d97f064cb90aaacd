package io.quarkiverse.lock.it.management;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkus.test.QuarkusUnitTest;

/** An application with the properties of the guide's page answers the commands of that page. */
class OperatorsPageTest {

    private static final Path PAGE = Path.of("../../docs/modules/ROOT/pages/operators.adoc");
    private static final Pattern WORD = Pattern.compile("'([^']*)'|\\S+");
    private static final String SERVER = "http://localhost:9000";

    @RegisterExtension
    static final QuarkusUnitTest TEST = application();

    @Inject
    LockManager locks;

    private static QuarkusUnitTest application() {
        QuarkusUnitTest test = App.withUsers();
        blocks("properties").flatMap(String::lines).filter(line -> !line.isBlank()).forEach(line -> {
            String[] property = line.split("=", 2);
            test.overrideConfigKey(property[0], property[1]);
        });
        return test;
    }

    @Test
    void commandsOfTheGuideWork() {
        List<String> commands = blocks("bash").map(block -> block.replace("\\\n", " ")).flatMap(String::lines)
                .filter(line -> !line.isBlank()).toList();
        assertThat(commands).hasSizeGreaterThanOrEqualTo(5);
        for (String command : commands) {
            try (LockHandle order = locks.lock("order-7").acquire(); LockHandle export = locks.lock("export").acquire()) {
                HttpResponse<String> answer = send(command);
                assertThat(answer.statusCode()).as("%s: %s", command, answer.body()).isEqualTo(200);
                assertThat(answer.body()).as(command).containsAnyOf("\"fencingToken\"", "\"held\" : true");
                assertThat(export.isReleaseRequested() || !export.isValid()).as(command)
                        .isEqualTo(command.contains("-release"));
                assertThat(order.isValid()).isTrue();
            }
        }
    }

    @Test
    void anonymousReadsAreRejected() {
        assertThat(Operator.ANONYMOUS.get("/q/lock").statusCode()).isEqualTo(401);
        assertThat(Operator.ANONYMOUS.get("/q/lock/inspect?name=order-7").statusCode()).isEqualTo(401);
    }

    /** Acts like curl, with only some of its options. */
    private static HttpResponse<String> send(String command) {
        Iterator<String> words = WORD.matcher(command).results()
                .map(word -> word.group(1) != null ? word.group(1) : word.group()).iterator();
        assertThat(words.next()).as(command).isEqualTo("curl");
        Operator operator = Operator.ANONYMOUS;
        List<String> data = new ArrayList<>();
        boolean get = false;
        String path = "";
        while (words.hasNext()) {
            String word = words.next();
            switch (word) {
                case "-u" -> {
                    assertThat(words.next()).isEqualTo("olga"); // curl asks for her password
                    operator = operator.withPassword("secret");
                }
                case "-G" -> get = true;
                case "-d" -> data.add(words.next());
                case "--data-urlencode" -> {
                    String[] field = words.next().split("=", 2);
                    data.add(field[0] + "=" + Operator.encoded(field[1]));
                }
                case "-H" -> {
                    String[] header = words.next().split(": ", 2);
                    operator = operator.with(header[0], header[1]);
                }
                default -> {
                    assertThat(word).as(command).startsWith(SERVER);
                    path = word.substring(SERVER.length());
                }
            }
        }
        String form = String.join("&", data);
        if (get || data.isEmpty()) {
            return operator.get(data.isEmpty() ? path : path + "?" + form);
        }
        return operator.with("Content-Type", "application/x-www-form-urlencoded").send("POST", path, form);
    }

    /** The blocks, without their callouts. */
    private static Stream<String> blocks(String language) {
        try {
            return Pattern.compile("\\[source," + language + "]\n----\n(.*?)\n----\n", Pattern.DOTALL)
                    .matcher(Files.readString(PAGE)).results()
                    .map(block -> block.group(1).replaceAll(" # <\\d+>", "")).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
