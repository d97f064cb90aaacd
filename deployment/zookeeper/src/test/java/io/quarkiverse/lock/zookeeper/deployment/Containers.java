package io.quarkiverse.lock.zookeeper.deployment;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The container engine, as seen from outside of Quarkus. */
final class Containers {

    static final String IMAGE = "zookeeper:3.9";

    private Containers() {
    }

    /** Runs the client of the engine. */
    static String docker(String... arguments) {
        List<String> command = new ArrayList<>(List.of("docker"));
        command.addAll(List.of(arguments));
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            if (process.waitFor() != 0) {
                throw new IllegalStateException(command + ": " + output);
            }
            return output;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** The image of the container that a port of this machine leads to, if any. */
    static String imageAt(String hostAndPort) {
        // As it is listed, such as "0.0.0.0:32768->2181/tcp"; the engine's own filter also matches the port inside
        String published = hostAndPort.substring(hostAndPort.indexOf(':')) + "->";
        return docker("ps", "--format", "{{.Image}} {{.Ports}}").lines()
                .filter(container -> container.contains(published))
                .map(container -> container.substring(0, container.indexOf(' ')))
                .collect(Collectors.joining(", "));
    }
}
