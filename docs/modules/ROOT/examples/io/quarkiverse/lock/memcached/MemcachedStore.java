package io.quarkiverse.lock.memcached;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.support.LockStore;
import io.quarkiverse.lock.spi.support.StoreLockBackend;
import io.smallrye.mutiny.Uni;
import net.rubyeye.xmemcached.GetsResponse;
import net.rubyeye.xmemcached.MemcachedClient;
import net.rubyeye.xmemcached.XMemcachedClientBuilder;
import net.rubyeye.xmemcached.exception.MemcachedException;

/**
 * Locks in memcached, with commands that every version supports. A held lock is an item that expires with its lease; the
 * counter for its fences is another item, which does not expire.
 * <ol>
 * <li>Take: {@code add} an item with the claim's token, which succeeds for only one of many; increment the fence with
 * {@code incr}; write it into the item with {@code cas}, which fails if the item was touched meanwhile. So whoever has a fence
 * had the item when the fence was counted, and fences rise from grant to grant.
 * <li>Renew: {@code cas} the item with a new expiry, if it still has the token.
 * <li>Release: {@code cas} it with an expiry in the past, which is memcached's conditional delete.
 * </ol>
 * Memcached counts in whole seconds, so an item lives up to two seconds longer than its lease. It may <em>evict</em> items when
 * its memory is full, and forgets all of them when it restarts. Somebody else may then get the lock while its holder, which
 * finds out with its next renewal, is still working. Even then the next fence is greater, unless the clocks of the JVMs are far
 * apart. So use this backend where a second holder does no harm, or where every write checks the fencing token.
 */
public final class MemcachedStore implements LockStore {

    public static final String NAME = "memcached";

    /** Memcached takes more seconds than this for a date, and that date is long past. */
    private static final int LONGEST_SECONDS = (int) TimeUnit.DAYS.toSeconds(30);
    private static final int IN_THE_PAST = LONGEST_SECONDS + 1;
    private static final int THREADS = 8;
    private static final Duration RECONNECT = Duration.ofMillis(250);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(200);
    /** The longest operation, {@link #take}, sends this many commands. */
    private static final int COMMANDS = 4;

    private final InetSocketAddress server;
    private final String namespace;
    private final String owner;
    private final Duration timeout;
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS, task -> {
        var thread = new Thread(task, "lock-memcached");
        thread.setDaemon(true);
        return thread;
    });
    private @Nullable MemcachedClient connected;

    private MemcachedStore(InetSocketAddress server, String namespace, String owner, Duration timeout) {
        this.server = server;
        this.namespace = namespace;
        this.owner = owner;
        this.timeout = timeout;
    }

    /**
     * A lock backend on one memcached server, to which it connects with the first command.
     *
     * @param namespace prefixes all names
     * @param owner a human-readable description of this JVM
     * @param timeout how long one command takes at most
     */
    public static LockBackend backend(InetSocketAddress server, String namespace, String owner, Duration timeout) {
        var store = new MemcachedStore(server, namespace, owner, timeout);
        return new StoreLockBackend(NAME, store, timeout.multipliedBy(COMMANDS), LONGEST_PAUSE);
    }

    /** Reconnects by itself. */
    private synchronized MemcachedClient client() throws IOException {
        if (connected == null) {
            var builder = new XMemcachedClientBuilder(List.of(new InetSocketAddress(server.getHostString(), server.getPort())));
            builder.setSelectorPoolSize(1);
            builder.setConnectTimeout(timeout.toMillis());
            builder.setOpTimeout(timeout.toMillis());
            builder.setHealSessionInterval(RECONNECT.toMillis());
            connected = builder.build();
        }
        return connected;
    }

    @Override
    public Uni<Attempt> take(Claim claim) {
        return call(claim.name(), client -> {
            String key = key(namespace, claim.name());
            int expiry = seconds(claim.leaseNanos());
            long now = System.currentTimeMillis();
            var mine = new Item(claim.token(), 0, now, now + TimeUnit.NANOSECONDS.toMillis(claim.leaseNanos()), owner);
            // tag::take[]
            client.add(key, expiry, mine.text()); // <1>
            GetsResponse<String> found = client.gets(key); // <2>
            if (found == null) {
                return Attempt.busy(null); // it has disappeared since the add
            }
            Item item = Item.of(found.getValue());
            if (!item.token().equals(claim.token())) {
                return Attempt.busy(item.owner());
            }
            // An item with a fence was granted before, and the reply was lost
            long fence = item.fence() > 0 ? item.fence() : nextFence(client, key); // <3>
            boolean kept = client.cas(key, expiry, mine.with(fence, mine.until()).text(), found.getCas()); // <4>
            return kept ? Attempt.granted(fence) : Attempt.busy(null);
            // end::take[]
        });
    }

    /** Starts, also after a loss of all data, at the time in µs: above all earlier counts, which grow by one for each grant. */
    private static long nextFence(MemcachedClient client, String key)
            throws MemcachedException, InterruptedException, TimeoutException {
        return client.incr(key + ".fence", 1, TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()));
    }

    @Override
    public Uni<Boolean> renew(String name, String token, long leaseNanos) {
        return call(name, client -> replace(client, key(namespace, name), token, seconds(leaseNanos),
                TimeUnit.NANOSECONDS.toMillis(leaseNanos)));
    }

    @Override
    public Uni<Boolean> release(String name, String token) {
        return call(name, client -> replace(client, key(namespace, name), token, IN_THE_PAST, 0));
    }

    /** Gives the item another expiry if it has the token; returns whether it had. */
    private static boolean replace(MemcachedClient client, String key, String token, int expiry, long leaseMillis)
            throws MemcachedException, InterruptedException, TimeoutException {
        GetsResponse<String> found = client.gets(key);
        while (found != null) {
            Item item = Item.of(found.getValue());
            if (!item.token().equals(token)) {
                return false;
            }
            Item kept = item.with(item.fence(), System.currentTimeMillis() + leaseMillis);
            if (client.cas(key, expiry, kept.text(), found.getCas())) {
                return true;
            }
            found = client.gets(key); // a renewal and a release of the same grant have collided
        }
        return false;
    }

    @Override
    public Uni<Optional<LockInfo.Holder>> inspect(String name) {
        return call(name, client -> {
            GetsResponse<String> found = client.gets(key(namespace, name));
            return Optional.ofNullable(found).map(item -> Item.of(item.getValue()).holder(System.currentTimeMillis()));
        });
    }

    @Override
    public Uni<Boolean> forceRelease(String name) {
        return call(name, client -> client.delete(key(namespace, name)));
    }

    @Override
    public synchronized void close() {
        threads.shutdown();
        try {
            if (connected != null) {
                connected.shutdown();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private interface Command<T> {

        T run(MemcachedClient client) throws MemcachedException, InterruptedException, TimeoutException;
    }

    /** The client blocks, so it is called on separate threads. */
    private <T> Uni<T> call(String name, Command<T> command) {
        return Uni.createFrom().item(() -> {
            try {
                return command.run(client());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw unreachable(name, e);
            } catch (IOException | MemcachedException | TimeoutException e) {
                throw unreachable(name, e);
            }
        }).runSubscriptionOn(threads);
    }

    private LockBackendException unreachable(String name, Exception cause) {
        return new LockBackendException(name, "memcached at " + server + " cannot be reached or does not answer in time; check "
                + MemcachedLockBackendProvider.SERVER, cause);
    }

    /** Rounded up, and one more, since the server's clock may tick right after the command. */
    private static int seconds(long nanos) {
        long seconds = TimeUnit.NANOSECONDS.toSeconds(nanos + TimeUnit.SECONDS.toNanos(2) - 1);
        return (int) (seconds <= LONGEST_SECONDS ? seconds
                : Math.min(Integer.MAX_VALUE, TimeUnit.MILLISECONDS.toSeconds(System.currentTimeMillis()) + seconds));
    }

    /** Names may contain blanks and exceed the length of a memcached key, so a digest replaces them. */
    static String key(String namespace, String name) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (char c : (namespace + '/' + name).toCharArray()) { // as UTF-8, broken surrogates would be equal
                digest.update((byte) (c >> 8));
                digest.update((byte) c);
            }
            return "lock." + HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every JDK has SHA-256", e);
        }
    }
}
