package io.quarkiverse.lock.runtime.manager;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.Supplier;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockBackendProvider;

class StartLineTest {

    private static LockBackendProvider provider(Supplier<String> place) {
        return new LockBackendProvider() {
            @Override
            public String name() {
                return "somewhere";
            }

            @Override
            public LockBackend create(String namespace, String owner) {
                throw new AssertionError("not needed here");
            }

            @Override
            public String place() {
                return place.get();
            }
        };
    }

    /** The place is shown only in this line. */
    @Test
    void failureToDescribeThePlaceIsIgnored() {
        assertThat(StartLine.place(provider(() -> "shelf 3"))).isEqualTo("shelf 3");
        assertThat(StartLine.place(provider(() -> null))).isEmpty();
        assertThat(StartLine.place(provider(() -> {
            throw new IllegalStateException("not connected");
        }))).isEmpty();
    }
}
