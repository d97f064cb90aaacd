package io.quarkiverse.lock.deployment.beans;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.spi.LockEvent;
import io.quarkiverse.lock.spi.LockEvent.Kind;
import io.quarkiverse.lock.spi.LockListener;
import io.quarkus.test.Mock;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.common.annotation.Identifier;

/** Every listener bean is notified, whatever its qualifiers, even beside an alternative. */
class ListenersTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Told.class, Plain.class, Qualified.class, Mocked.class))
            .overrideConfigKey("quarkus.lock.backend", "local");

    @Inject
    LockManager locks;

    @Test
    void allListenerBeansAreNotified() {
        locks.lock("stock-7").acquire().close();
        assertThat(Told.RELEASES).containsExactlyInAnyOrder("Plain", "Qualified", "Mocked");
    }

    public abstract static class Told implements LockListener {

        static final List<String> RELEASES = new CopyOnWriteArrayList<>();

        @Override
        public void onEvent(LockEvent event) {
            if (event.kind() == Kind.RELEASED) {
                RELEASES.add(getClass().getSimpleName());
            }
        }
    }

    @Singleton
    public static class Plain extends Told {
    }

    @Singleton
    @Identifier("audit")
    public static class Qualified extends Told {
    }

    /** An alternative with a priority. */
    @Mock
    @Singleton
    public static class Mocked extends Told {
    }
}
