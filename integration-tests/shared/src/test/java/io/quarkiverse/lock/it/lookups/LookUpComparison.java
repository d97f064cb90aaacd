package io.quarkiverse.lock.it.lookups;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.ClassOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestClassOrder;

import io.quarkiverse.lock.it.Node;
import io.quarkiverse.lock.it.lookups.Registrations.Answer;
import io.restassured.RestAssured;

/**
 * Runs the same jar that native-image gets, on a JVM with an {@link Agent}, and compares the look-ups with the input of
 * native-image. {@code target/look-ups/table.txt} contains all of them.
 */
@TestClassOrder(ClassOrderer.OrderAnnotation.class)
public abstract class LookUpComparison {

    private static final Path DIRECTORY = Path.of("target", "look-ups");

    /** The callers whose look-ups are compared: this extension, and clients that no other extension covers. */
    private static final List<String> CALLERS = List.of("io.quarkiverse.lock.", "org.apache.zookeeper.", "org.apache.curator.",
            "javax.security.auth.", "com.sun.security.auth.", "javax.security.sasl.", "com.sun.security.sasl.",
            "sun.security.provider.ConfigFile", "sun.security.util.Resources");

    /** The classes of the application, and those that Quarkus generates and registers. */
    private static final List<String> OTHERS = List.of("io.quarkiverse.lock.it.", "$$CMImpl", "_Bean", "_ClientProxy",
            "_Subclass", "_Synthetic_", "_Observer_");

    private static final List<Node> NODES = new ArrayList<>();
    private static Agent agent;

    @BeforeAll
    static void makeTheAgent() throws IOException {
        agent = new Agent(DIRECTORY);
    }

    /**
     * Starts another instance of the application; RestAssured calls the first one.
     *
     * @param ready the path that answers once the application is ready
     */
    protected static Node traceUntil(String ready, String name, Map<String, String> properties) throws IOException {
        var node = new Node(name, ready, List.of(agent.option()), properties);
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

    /**
     * Classes, bundles and resources that an application needs; the comparison must notice when they are not registered.
     */
    protected abstract Set<String> needed();

    private record Compared(LookUp lookUp, Answer answer) {

        String line() {
            return "%-10s  %-11s  %s  <- %s".formatted(answer, lookUp.kind(), lookUp.subject(), lookUp.caller());
        }
    }

    @Nested
    @Order(Integer.MAX_VALUE)
    class Comparison {

        @Test
        void lookUpsAreRegistered() throws IOException {
            List<Compared> all = compare(Set.of());
            Files.write(DIRECTORY.resolve("table.txt"), all.stream().map(Compared::line).sorted().toList());
            assertThat(all).as("otherwise nothing was traced").anyMatch(each -> each.answer == Answer.REGISTERED);
            assertThat(missing(all)).as("found on a JVM, but not in an executable").isEmpty();
        }

        /** Otherwise the comparison could not fail. */
        @Test
        void missingRegistrationsAreDetected() throws IOException {
            Set<String> needed = needed();
            assertThat(missing(compare(needed))).extracting(LookUp::subject).containsAll(needed);
        }

        private List<Compared> compare(Set<String> withdrawn) throws IOException {
            try (var registrations = new Registrations(withdrawn)) {
                return ours().filter(registrations::isByName).map(each -> new Compared(each, registrations.answer(each)))
                        .toList();
            }
        }

        private static List<LookUp> missing(List<Compared> all) {
            return all.stream().filter(each -> each.answer == Answer.MISSING).map(Compared::lookUp).toList();
        }

        private static Stream<LookUp> ours() throws IOException {
            return agent.lookUps().stream().filter(lookUp -> CALLERS.stream().anyMatch(lookUp.caller()::startsWith))
                    .filter(lookUp -> OTHERS.stream().noneMatch(lookUp.caller()::contains))
                    .filter(lookUp -> !lookUp.subject().contains("$$Lambda"));
        }
    }
}
