package io.quarkiverse.lock.it.lookups;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.ClassOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestClassOrder;

import io.quarkiverse.lock.it.BusyChecks;
import io.quarkiverse.lock.it.LockManagerChecks;
import io.quarkiverse.lock.it.LossChecks;
import io.quarkiverse.lock.it.NamedManagerChecks;
import io.quarkiverse.lock.it.Node;
import io.quarkiverse.lock.it.OrderChecks;
import io.quarkiverse.lock.it.lookups.Registrations.Answer;
import io.restassured.RestAssured;

/**
 * Runs the very jar that native-image is given, on a JVM with an {@link Agent}, lets the integration tests use it, and compares
 * what has been looked up meanwhile with what native-image is told of. {@code target/look-ups/table.txt} is the whole of it.
 */
@TestClassOrder(ClassOrderer.OrderAnnotation.class)
public abstract class LookUpChecks {

    private static final Path DIRECTORY = Path.of("target", "look-ups");
    private static final String READY = "/orders/most-at-once";

    /** Whose look-ups are compared: this extension's, and those of clients that no other extension takes care of. */
    private static final List<String> CALLERS = List.of("io.quarkiverse.lock.", "org.apache.zookeeper.", "org.apache.curator.",
            "javax.security.auth.", "com.sun.security.auth.", "javax.security.sasl.", "com.sun.security.sasl.",
            "sun.security.provider.ConfigFile", "sun.security.util.Resources");

    /** Those of the application, and those that Quarkus generates and registers. */
    private static final List<String> OTHERS = List.of("io.quarkiverse.lock.it.", "$$CMImpl", "_Bean", "_ClientProxy",
            "_Subclass", "_Synthetic_", "_Observer_");

    private static final List<Node> NODES = new ArrayList<>();
    private static Agent agent;

    @BeforeAll
    static void makeTheAgent() throws IOException {
        agent = new Agent(DIRECTORY);
    }

    /** Starts the application once more; what the checks use is the one that was started first. */
    protected static Node trace(String name, Map<String, String> properties) throws IOException {
        var node = new Node(name, READY, List.of(agent.option()), properties);
        NODES.add(node);
        node.awaitReady();
        RestAssured.port = NODES.get(0).port();
        return node;
    }

    @AfterAll
    static void stop() {
        RestAssured.reset();
        NODES.forEach(Node::close);
        NODES.clear();
    }

    @Nested
    class Managers extends LockManagerChecks {

        @Override
        protected long extendedSeconds() {
            return LookUpChecks.this.extendedSeconds();
        }
    }

    protected long extendedSeconds() {
        return 300;
    }

    @Nested
    class NamedManagers extends NamedManagerChecks {

        @Override
        protected long leaseSeconds() {
            return LookUpChecks.this.leaseSeconds();
        }
    }

    protected long leaseSeconds() {
        return 600;
    }

    @Nested
    class Orders extends OrderChecks {
    }

    @Nested
    class Busy extends BusyChecks {
    }

    @Nested
    class Losses extends LossChecks {
    }

    @Nested
    @Order(Integer.MAX_VALUE)
    class Comparison {

        @Test
        void whatIsLookedUpIsRegistered() throws IOException {
            List<LookUp> missing = new ArrayList<>();
            List<String> table = new ArrayList<>();
            try (var registrations = new Registrations()) {
                for (LookUp lookUp : ours()) {
                    if (!registrations.isByName(lookUp)) {
                        continue;
                    }
                    Answer answer = registrations.answer(lookUp);
                    table.add("%-10s  %-11s  %s  <- %s".formatted(answer, lookUp.kind(), lookUp.subject(), lookUp.caller()));
                    if (answer == Answer.MISSING) {
                        missing.add(lookUp);
                    }
                }
            }
            table.sort(null);
            Files.write(DIRECTORY.resolve("table.txt"), table);
            assertThat(table).as("else nothing was traced").anyMatch(line -> line.startsWith(Answer.REGISTERED.name()));
            assertThat(missing).as("found on a JVM, and not in an executable").isEmpty();
        }

        private List<LookUp> ours() throws IOException {
            return agent.lookUps().stream().filter(lookUp -> CALLERS.stream().anyMatch(lookUp.caller()::startsWith))
                    .filter(lookUp -> OTHERS.stream().noneMatch(lookUp.caller()::contains))
                    .filter(lookUp -> !lookUp.subject().contains("$$Lambda")).toList();
        }
    }
}
