package io.quarkiverse.lock.zookeeper.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;

import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockManager;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.test.QuarkusDevModeTest;

/** An application in dev mode uses the container that another one has started. Needs a container engine. */
class SharedContainerCheck {

    private static final String USED = "test.used";

    private static String container;

    @RegisterExtension
    static final QuarkusDevModeTest APP = new QuarkusDevModeTest()
            .withApplicationRoot(jar -> jar.addClasses(Application.class));

    @BeforeAll
    static void startAsAnotherApplicationWould() {
        System.setProperty("quarkus.devservices.enabled", "true");
        container = Containers.docker("run", "-d", "-P", "--label", "quarkus-dev-service-zookeeper=zookeeper",
                Containers.IMAGE);
    }

    @AfterAll
    static void stop() {
        System.setProperty("quarkus.devservices.enabled", "false");
        Containers.docker("rm", "-f", container);
    }

    @Test
    void runningContainerIsUsed() {
        String used = System.getProperty(USED);
        String port = used.substring(used.indexOf(':') + 1);
        assertThat(Containers.docker("port", container, "2181/tcp")).contains(":" + port);
    }

    @ApplicationScoped
    public static class Application {

        void started(@Observes StartupEvent event, LockManager locks,
                @ConfigProperty(name = "quarkus.lock.zookeeper.connect-string") String connectString) {
            locks.lock("stock-7").acquire().close();
            System.setProperty(USED, connectString);
        }
    }
}
