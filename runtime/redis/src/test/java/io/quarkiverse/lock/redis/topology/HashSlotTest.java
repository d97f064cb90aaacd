package io.quarkiverse.lock.redis.topology;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.vertx.redis.client.impl.ZModem;

/** Slots equal those of {@code CLUSTER KEYSLOT}. */
class HashSlotTest {

    /** The first is the check value of CRC16/XMODEM, 0x31C3; the second is the example in Redis' own documentation. */
    @ParameterizedTest
    @CsvSource({ "123456789, 12739", "somekey, 11058", "foo{hash_tag}, 2515", "'', 0" })
    void slotMatchesRedis(String key, int slot) {
        assertThat(HashSlot.of(key)).isEqualTo(slot);
    }

    @ParameterizedTest
    @ValueSource(strings = { "x{order-42}y", "{order-42}", "{order-42}{other}", "{order-42}}" })
    void onlyTheTagIsHashed(String key) {
        assertThat(HashSlot.of(key)).isEqualTo(HashSlot.of("order-42"));
    }

    /** An empty tag does not count, nor does any later one. */
    @Test
    void keyWithoutTagIsHashedWhole() {
        assertThat(HashSlot.of("foo{}{bar}")).isEqualTo(8363).isNotEqualTo(HashSlot.of("bar"));
        assertThat(HashSlot.of("a{b")).isNotEqualTo(HashSlot.of("b"));
    }

    @ParameterizedTest
    @ValueSource(strings = { "quarkus:lock:{order-42}:owner", "Bestellung-Ä-€-😀", "a{Straße}b", "0", "\u007f\u0080" })
    void slotMatchesRedisClient(String key) {
        assertThat(HashSlot.of(key)).isEqualTo(ZModem.generate(key));
    }
}
