package io.quarkiverse.lock.sale;

import java.io.IOException;

/** For {@code ./run}: starts the servers, prints what tells a node where they are, and ends with its own input. */
public final class LocalServers {

    private LocalServers() {
    }

    /** @param arguments the backend */
    public static void main(String[] arguments) throws IOException {
        try (Servers servers = new Servers(Backend.named(arguments[0]))) {
            System.out.println(String.join(" ", servers.properties()));
            while (System.in.read() >= 0) {
                // Nobody says anything; the end of the input is the end
            }
        }
    }
}
