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
    void rejectionOfFirstWriteChangesNothing(String error) {
        assertThat(RedisFailure.refused(error).nothingRun()).isTrue();
    }

    /** Redis 6 and 7: it could not save its data to the disk. */
    @ParameterizedTest
    @ValueSource(strings = {
            "ERR Error running script (call to f_0): @user_script:36: @user_script: 36: -MISCONF Redis is configured to save RDB snapshots, but it is currently not able to persist on disk.",
            "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk. script: 0, on @user_script:36.",
            "MISCONF Errors writing to the AOF file: No space left on device script: 0, on @user_script:36." })
    @Fault(453)
    void fault453_misconfErrorIsRetryableAndChangesNothing(String error) {
        assertThat(RedisFailure.refused(error).nothingRun()).isTrue();
        assertThat(RedisFailure.refused(error).temporary()).isTrue();
    }

    /** The server no longer is the master: whoever waits finds the next one. */
    @ParameterizedTest
    @ValueSource(strings = {
            "UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)",
            "ERR WAIT cannot be used with replica instances. Please also note that since Redis 4.0 if a replica is configured to be writable (which is not the default) writes to replicas are just local and are not propagated." })
    @Fault(460)
    void fault460_waitInterruptedByDemotionIsRetryable(String error) {
        assertThat(RedisFailure.refused(error).temporary()).isTrue();
    }

    /** Redis 6.2, 7.0, and since 7.2 with Valkey: a script may be called, but not a command in it, a key or a channel. */
    @ParameterizedTest
    @ValueSource(strings = {
            "NOPERM this user has no permissions to run the 'eval' command or its subcommand",
            "ERR Error running script (call to f_0): @user_script:5: @user_script: 5: -NOPERM this user has no permissions to run the 'hset' command",
            "ERR The user executing the script can't run this command or subcommand script: 0, on @user_script:5.",
            "ERR The user executing the script can't access at least one of the keys mentioned in the command arguments script: 0, on @user_script:5.",
            "ERR ACL failure in script: User locks has no permissions to run the 'hset' command script: 0, on @user_script:5.",
            "ERR ACL failure in script: User locks has no permissions to access the 'lock:1:{test:name}' key script: 0, on @user_script:5." })
    @Fault(558)
    void fault558_missingPermissionIsRecognisedInEachWording(String error) {
        RedisFailure failure = RedisFailure.refused(error);
        assertThat(failure.code()).isEqualTo("NOPERM");
        assertThat(failure.hopeless()).as("it is not repeated in vain").isTrue();
        assertThat(failure.ofRecord()).as("it says nothing of what is stored").isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = { "OOM command not allowed when used memory > 'maxmemory'.", "ERR something else" })
    void otherErrorsMayFollowAWrite(String error) {
        assertThat(RedisFailure.refused(error).nothingRun()).isFalse();
    }
}
