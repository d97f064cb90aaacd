package io.quarkiverse.lock.redis.quorum;

import java.util.Map;
import java.util.stream.Collectors;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.redis.script.RedisFailure;
import io.quarkiverse.lock.spi.PrintableDuration;
import io.quarkiverse.lock.text.PrintableName;

/** Says why there was no majority, which property it depends on, and what to do about it. */
final class QuorumErrors {

    private final QuorumOptions options;
    private final QuorumKeys keys;
    private final int servers;
    private final int majority;

    QuorumErrors(QuorumOptions options, QuorumKeys keys, int servers, int majority) {
        this.options = options;
        this.keys = keys;
        this.servers = servers;
        this.majority = majority;
    }

    /**
     * Too few servers take part.
     *
     * @param reasons what is wrong with each of the others
     */
    LockBackendException tooFew(String name, Map<QuorumServer, String> reasons) {
        if (reasons.isEmpty()) {
            return new LockBackendException(name, lock(name) + "no majority of the servers of quarkus.lock.redis.quorum "
                    + "granted it in time: they answer too slowly for its lease, or many callers ask for it at once. Ask for a "
                    + "longer lease, or reduce the delay to the servers", null);
        }
        String each = reasons.values().stream().distinct().collect(Collectors.joining("; "));
        return new LockBackendException(name, lock(name) + "of the " + servers + " servers of quarkus.lock.redis.quorum, only "
                + (servers - reasons.size()) + " can take part, and " + majority + " have to: " + each, null);
    }

    String failure(QuorumServer server, RedisFailure failure) {
        return server.reason(failure);
    }

    String sitsOut(long millis) {
        return "one that was started or lost its data may have forgotten locks, and takes no part for another "
                + PrintableDuration.ofNanos(millis * 1_000_000) + " (quarkus.lock.redis.longest-lease)";
    }

    String otherLongest(String millis) {
        return "one has learnt quarkus.lock.redis.longest-lease=" + millis + "ms from others, but this application has "
                + keys.longestLease() + "ms: set it alike in all applications that share quarkus.lock.redis.key-prefix";
    }

    /** The server hangs in the middle of a list. */
    String hangs(QuorumServer server) {
        return server.reason(RedisFailure.noReply("it takes much longer than the others", null));
    }

    /** The server was already scanned, but at another position in the list of servers. */
    String lookedThrough() {
        return "one has already been scanned: name the servers in the same order in all applications";
    }

    /** Only these scripts should have written it. */
    LockBackendException unreadable(String name, RuntimeException cause) {
        return new LockBackendException(name, lock(name) + "what the servers of quarkus.lock.redis.quorum say about it cannot "
                + "be read (" + cause + "). Has something else written below quarkus.lock.redis.key-prefix? If not, please "
                + "report this", cause);
    }

    LockBackendException closed(String name) {
        return new LockBackendException(name, lock(name) + "the application is shutting down", null);
    }

    boolean tooLong(long leaseNanos) {
        return !keys.covers(leaseNanos);
    }

    LockBackendException lease(String name, long leaseNanos) {
        return new LockBackendException(name, lock(name) + "a lease of " + PrintableDuration.ofNanos(leaseNanos)
                + " is longer than quarkus.lock.redis.longest-lease=" + PrintableDuration.of(options.longestLease())
                + ", the time for which a server takes no part after a restart. Ask for a shorter lease. To raise "
                + "the longest one, stop all applications that share quarkus.lock.redis.key-prefix, and delete the key "
                + keys.marker() + " on all servers", null);
    }

    LockBackendException shared(String name) {
        return new LockBackendException(name, lock(name) + "quarkus.lock.redis.quorum supports only exclusive locks, "
                + "neither LockMode.SHARED nor a limit. Use a manager on another backend for those", null);
    }

    private static String lock(String name) {
        return "Lock '" + PrintableName.of(name) + "': ";
    }
}
