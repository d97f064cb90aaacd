package io.quarkiverse.lock.it.nobackend;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusProdModeTest;

/** If configured by name, the in-JVM backend runs in production. */
class LocalInProductionTest {

    @RegisterExtension
    static final QuarkusProdModeTest APPLICATION = new QuarkusProdModeTest()
            .withApplicationRoot(jar -> jar.addClasses(Greeter.class, GreetingMain.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .setApplicationName("greeting").setApplicationVersion("1")
            .setRun(true).setExpectExit(true);

    @Test
    void localBackendWorksInProduction() {
        assertThat(APPLICATION.getExitCode()).as(APPLICATION.getStartupConsoleOutput()).isZero();
        assertThat(APPLICATION.getStartupConsoleOutput()).contains("Hello world");
    }
}
