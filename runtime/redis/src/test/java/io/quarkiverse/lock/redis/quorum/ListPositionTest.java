package io.quarkiverse.lock.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.Test;

class ListPositionTest {

    @Test
    void positionIsRestoredFromItsText() {
        var position = ListPosition.of(null, 3);
        position.step(1, "aa", "17", 1000);
        position.step(1, "aa", "0", 2000);
        position.end();
        position.step(0, "bb", "18446744073709551615", 3000);

        var next = ListPosition.of(position.toString(), 3);

        assertThat(next).hasToString(position.toString());
        assertThat(next.server()).isZero();
        assertThat(next.run()).isEqualTo("bb");
        assertThat(next.cursor()).isEqualTo("18446744073709551615");
        assertThat(next.ended()).containsExactly(new ListPosition.Look(1, "aa", 1000));
        assertThat(next.hasEnded(1)).isTrue();
        assertThat(next.hasEnded(0)).isFalse();
        assertThat(next.hasEnded("aa")).isTrue();
    }

    @Test
    void positionBetweenServersHasNoServer() {
        var position = ListPosition.of(null, 3);
        position.step(0, "aa", "0", 1000);
        position.end();

        var next = ListPosition.of(position.toString(), 3);

        assertThat(next.server()).isNegative();
        assertThat(next.cursor()).isEqualTo(ListPosition.START);
        assertThat(next.hasEnded(0)).isTrue();
    }

    @Test
    void newRunOfServerReplacesEarlierRun() {
        var position = ListPosition.of(null, 3);
        position.step(0, "aa", "17", 1000);
        position.step(0, "bb", "5", 2000);
        position.end();
        assertThat(position.ended()).containsExactly(new ListPosition.Look(0, "bb", 2000));
    }

    @Test
    void malformedPositionsAreRejected() {
        for (String text : List.of("", "0@@", "17@0:aa:1", "17@3:aa:1@", "17@0:aa:1@3:bb:1", "17@0:aa:1@1:bb:1,1:cc:1",
                "17@0:aa:1@1:bb:1,", "17@0::1@", "99999999999999999999@0:aa:1@", "17@aa@1@", "-1@0:aa:1@", "17@@0:aa:1,1:bb:1",
                "17@1:aa:1@1:aa:1", "17@0:aa:1@" + "1:b:1,".repeat(100_000) + "1:b:1")) {
            assertThat(ListPosition.of(text, 3)).as(text).isNull();
        }
    }
}
