package io.quarkiverse.lock.redis.script;

import java.time.Duration;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.spi.PrintableDuration;
import io.quarkiverse.lock.text.PrintableName;

/** Says what went wrong with a lock, which property it depends on, and what to do about it. */
public final class ErrorMessages {

    private static final String CLUSTER_RIGHTS = " +cluster|slots +asking";

    private final RedisLockOptions options;

    public ErrorMessages(RedisLockOptions options) {
        this.options = options;
    }

    public LockBackendException failure(String name, RedisFailure failure) {
        return new LockBackendException(name, "Lock '" + PrintableName.of(name) + "': " + reason(failure), failure);
    }

    /** There is no connection, and the reason is known, but the operation timeout is not over yet. */
    public LockBackendException unreachable(String name, RedisFailure failure) {
        return new LockBackendException(name, "Lock '" + PrintableName.of(name) + "': Redis (" + options.properties()
                + "hosts) cannot be reached: " + failure.getMessage(), failure);
    }

    public LockBackendException closed(String name) {
        return new LockBackendException(name, "Lock '" + PrintableName.of(name) + "': the application is shutting down", null);
    }

    public LockBackendException format(String name, String format) {
        boolean old = format.equals("1");
        return new LockBackendException(name, "Lock '" + PrintableName.of(name) + "': its record in Redis has format " + format
                + ", but this application knows only format 2. " + (old ? "An older" : "A newer")
                + " version of Quarkus Lock uses the same quarkus.lock.redis.key-prefix: upgrade "
                + (old ? "the other one" : "this application") + ", or give it another prefix", null);
    }

    /** A grace would end before such a lease. */
    public LockBackendException tooLong(String name, long leaseNanos) {
        return new LockBackendException(name, "Lock '" + PrintableName.of(name) + "': its lease of "
                + PrintableDuration.ofNanos(leaseNanos) + " is longer than quarkus.lock.redis.longest-lease="
                + PrintableDuration.ofNanos(options.longestLeaseNanos())
                + ". Shorten the lease, or what is added to it: holdAtLeast and quarkus.lock.after-loss-delay. To raise "
                + "the longest lease, stop all applications with this key prefix and delete the key " + Marker.key(options),
                null);
    }

    /** Only these scripts should have written it. */
    public LockBackendException unreadable(String name, RuntimeException cause) {
        return new LockBackendException(name, "Lock '" + PrintableName.of(name) + "': what Redis (" + options.properties()
                + "hosts) says about it cannot be read (" + cause + "). Has something else written below quarkus.lock.redis."
                + "key-prefix? If not, please report this", cause);
    }

    /** What is wrong and what to do, without the name of a lock. */
    public String reason(RedisFailure failure) {
        String said = failure.getMessage();
        String hosts = options.properties() + "hosts";
        return switch (failure.rootCode()) {
            case "NOAUTH" -> "Redis (" + hosts + ") requires a password (" + said + "). Set " + options.properties()
                    + "password, or a user and password in " + hosts;
            case "WRONGPASS" -> "Redis (" + hosts + ") refuses the credentials (" + said + "). Correct " + options.properties()
                    + "password, or the user and password in " + hosts;
            case "NOPERM" -> "the user of " + hosts + " is not allowed to do what locks need (" + said
                    + "). Allow it, for instance with ACL SETUSER <user> ~" + options.keyPrefix() + "* resetchannels &"
                    + options.keyPrefix()
                    + "* +@connection +@hash +eval +evalsha +time +pexpireat +scan +info +publish +subscribe"
                    + select(said) + (options.replicaAcks() > 0 ? " +wait" : "")
                    + (options.graceLease() != null ? " +config|get" : "")
                    + (options.cluster() ? CLUSTER_RIGHTS : "");
            case "ASK", "MOVED" -> "the nodes of the Redis Cluster (" + hosts + ") redirect the call to one another (" + said
                    + "). While a slot moves, the user of " + hosts + " must be allowed to use ASKING: ACL SETUSER <user>"
                    + CLUSTER_RIGHTS;
            case "OOM" -> "Redis (" + hosts + ") is out of memory (" + said
                    + "). Raise its maxmemory, or keep locks in a Redis of their own (quarkus.lock.redis.client-name)";
            case "READONLY", "MASTERDOWN" -> "Redis (" + hosts + ") is a replica (" + said + "). Set " + hosts
                    + " to the master, or use " + options.properties() + "client-type=sentinel";
            case RedisFailure.LEVEL -> "Redis (" + hosts + ") is not used for locks: other applications with "
                    + "quarkus.lock.redis.key-prefix=" + options.keyPrefix() + " have other settings for a fail-over ("
                    + ofOthers(said) + "), and rely on them. Set quarkus.lock.redis.after-failover and "
                    + "quarkus.lock.redis.longest-lease to the same values in all of them, or give this application another "
                    + "prefix. To change the values, stop all of these applications and delete the key "
                    + Marker.key(options);
            case RedisFailure.UNSAFE -> "Redis (" + hosts + ") is not used for locks: "
                    + said.substring(RedisFailure.UNSAFE.length()).strip();
            case RedisFailure.UNACKNOWLEDGED -> "of the replicas of Redis (" + hosts + ") that quarkus.lock.redis.replica-acks="
                    + options.replicaAcks() + " asks for, only " + said + " within "
                    + PrintableDuration.of(Duration.ofMillis(options.ackMillis()))
                    + ", a third of quarkus.lock.redis.operation-timeout. Bring them up, or ask for fewer";
            default -> switch (failure.fate()) {
                case REFUSED -> "Redis (" + hosts + ") answers with an error: " + said;
                case NOT_SENT -> "Redis (" + hosts + ") cannot be reached within quarkus.lock.redis.operation-timeout="
                        + PrintableDuration.of(options.operationTimeout()) + ": " + said;
                case NO_REPLY -> "Redis (" + hosts + ") does not answer within quarkus.lock.redis.operation-timeout="
                        + PrintableDuration.of(options.operationTimeout()) + ": " + said;
            };
        };
    }

    /** Where the address names a database: before Redis 7, that is not one of the commands about connections. */
    public static String select(String said) {
        return said.contains("'select'") ? " +select" : "";
    }

    /** @param said the code, the level, and where it is known the longest lease in milliseconds */
    private static String ofOthers(String said) {
        String[] parts = said.split(" ");
        return "quarkus.lock.redis.after-failover=" + parts[1] + (parts.length > 2 ? ", longest-lease=" + parts[2] + "ms" : "");
    }
}
