package io.quarkiverse.lock.sale;

import java.io.IOException;

/** For {@code ./run}: starts the servers, prints the properties that a node needs to find them, and ends with its input. */
public final class LocalServers {

    private LocalServers() {
    }

    /** @param arguments the backend */
    public static void main(String[] arguments) throws IOException {
        try (Servers servers = new Servers(Backend.named(arguments[0]))) {
            System.out.println(String.join(" ", servers.properties()));
            while (System.in.read() >= 0) {
                // The input carries no data; its end is the signal to stop
            }
        }
    }
}
