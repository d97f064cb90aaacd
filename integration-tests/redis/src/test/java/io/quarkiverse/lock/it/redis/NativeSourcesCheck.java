package io.quarkiverse.lock.it.redis;

import org.junit.jupiter.api.Test;

class NativeSourcesCheck {

    @Test
    void placeholder() {
    }
}
