package io.quarkiverse.lock.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.lock.testkit.Fault;

/** What the errors of a server say about what it has done. */
class RedisFailureTest {

    /** A release that was refused so has ended nothing: that it finds nothing when it is repeated is a loss. */
    @ParameterizedTest
    @ValueSource(strings = {
            "NOREPLICAS Not enough good replicas to write.",
            "ERR Error running script (call to f_0): @user_script:36: @user_script: 36: -NOREPLICAS Not enough good replicas to write.",
            "READONLY You can't write against a read only replica." })
    void aRefusalAtTheFirstWriteHasChangedNothing(String error) {
        assertThat(RedisFailure.refused(error).nothingRun()).isTrue();
    }

    /** Redis 6 and 7: it could not save its data to the disk. */
    @ParameterizedTest
    @ValueSource(strings = {
            "ERR Error running script (call to f_0): @user_script:36: @user_script: 36: -MISCONF Redis is configured to save RDB snapshots, but it is currently not able to persist on disk.",
            "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk. script: 0, on @user_script:36.",
            "MISCONF Errors writing to the AOF file: No space left on device script: 0, on @user_script:36." })
    @Fault(453)
    void fault453_aServerThatCannotSaveHasChangedNothingAndMayDoSoLater(String error) {
        assertThat(RedisFailure.refused(error).nothingRun()).isTrue();
        assertThat(RedisFailure.refused(error).temporary()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = { "OOM command not allowed when used memory > 'maxmemory'.", "ERR something else" })
    void otherErrorsMayComeLater(String error) {
        assertThat(RedisFailure.refused(error).nothingRun()).isFalse();
    }
}
