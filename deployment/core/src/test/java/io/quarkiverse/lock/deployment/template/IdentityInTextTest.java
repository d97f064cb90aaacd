package io.quarkiverse.lock.deployment.template;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import com.google.protobuf.ByteString;

import io.quarkiverse.lock.Locked;
import io.quarkus.test.QuarkusUnitTest;

/** Some classes write the identity of the object in the middle of its text, which then differs from object to object. */
class IdentityInTextTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Orders.class, Labelled.class, ByteString.class))
            .overrideConfigKey("quarkus.lock.backend", "local");

    @Inject
    Orders orders;

    @Test
    void fault507_identityIsDetectedAnywhereInText() {
        refused(ByteString.copyFromUtf8("a@b"), ByteString.class);
        refused(List.of(ByteString.copyFromUtf8("text")), ByteString.class);
        refused(new Labelled(), Labelled.class);
    }

    private void refused(Object value, Class<?> type) {
        assertThatThrownBy(() -> orders.take(value)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("{it}", type.getName(), "contains the object's identity");
    }

    /** Its identity does not follow the first {@code @}. */
    static class Labelled {

        @Override
        public String toString() {
            return "a@b, c@" + Integer.toHexString(System.identityHashCode(this));
        }
    }

    @ApplicationScoped
    public static class Orders {

        @Locked("{it}")
        void take(Object it) {
        }
    }
}
