package io.quarkiverse.lock.testkit.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URL;
import java.net.URLClassLoader;

import org.junit.jupiter.api.Test;

class FreePortTest {

    /** More than there are ports to find. */
    private static final int ALL = 11_000;

    /** Another class loader stands for another JVM. */
    @Test
    void portOfThisJvmIsNotGivenToAnother() throws Exception {
        int port = FreePort.find();
        URL classes = FreePort.class.getProtectionDomain().getCodeSource().getLocation();
        try (var loader = new URLClassLoader(new URL[] { classes }, ClassLoader.getPlatformClassLoader())) {
            var find = loader.loadClass(FreePort.class.getName()).getMethod("find");
            for (int i = 0; i < ALL; i++) {
                assertThat(find.invoke(null)).isNotEqualTo(port);
            }
        }
    }
}
