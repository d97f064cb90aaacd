package io.quarkiverse.lock.zookeeper.runtime;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The identity of this application in the scheme {@code digest}: as configured, or from a {@link CredentialsSource} for each
 * session.
 */
final class Identity {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.lock.zookeeper");

    /** Curator meanwhile blocks everybody who wants its client, event loops too. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    /** An answer may be lost on its way: after a minute, another question is asked. */
    private static final int OLDEST = 60;

    private final Optional<Supplier<String>> digest;
    private final Duration patience;
    private volatile @Nullable String last;
    private @Nullable Question open;

    private Identity(Optional<Supplier<String>> digest, Duration patience) {
        this.digest = digest;
        this.patience = patience;
    }

    /** @param sources empty without the extension for it */
    static Identity of(ZooKeeperLockConfig config, Supplier<Optional<CredentialsSource>> sources) {
        return of(config, sources, PATIENCE);
    }

    static Identity of(ZooKeeperLockConfig config, Supplier<Optional<CredentialsSource>> sources, Duration patience) {
        ZooKeeperLockConfig.Auth auth = config.auth();
        if (auth.username().isPresent() != auth.password().isPresent()) {
            String missing = auth.username().isPresent() ? "password" : "username";
            throw Property.wrong("auth." + missing, " is not set, but its counterpart is; the digest scheme needs both");
        }
        if (config.credentialsProvider().isEmpty()) {
            return new Identity(auth.username().map(user -> () -> user + ':' + auth.password().orElseThrow()), patience);
        }
        String name = config.credentialsProvider().get();
        if (auth.username().isPresent()) {
            throw Property.wrong("credentials-provider", "=" + name + ", but " + Property.PREFIX
                    + "auth.username is set as well; remove one of them");
        }
        CredentialsSource source = sources.get().orElseThrow(() -> Property.wrong("credentials-provider", "=" + name
                + ", but this application has no extension that provides credentials: add quarkus-credentials and a "
                + "CredentialsProvider bean, or an extension that has one, such as quarkus-vault"));
        return new Identity(Optional.of(() -> source.digest(name, config.credentialsProviderName())), patience);
    }

    /**
     * Asks for the credentials and passes them to a client; does nothing if there are none. The first time has no limit:
     * without them there would be no locks.
     */
    void tell(BiConsumer<String, byte[]> client) {
        if (digest.isPresent()) {
            client.accept("digest", bytes(last == null ? first(digest.get()) : current(digest.get())));
        }
    }

    /** The same for a caller with a deadline, even the first time. */
    void tellSoon(BiConsumer<String, byte[]> client) {
        if (digest.isPresent()) {
            client.accept("digest", bytes(current(digest.get())));
        }
    }

    private static byte[] bytes(String credentials) {
        return credentials.getBytes(StandardCharsets.UTF_8);
    }

    private String first(Supplier<String> source) {
        String first = source.get();
        last = first;
        return first;
    }

    /** A session must not fail because the keeper of the credentials is away for a moment. */
    private String current(Supplier<String> source) {
        try {
            return question(source).get(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return before(e);
        } catch (ExecutionException | TimeoutException | CancellationException e) {
            return before(e);
        }
    }

    private String before(Exception failure) {
        String before = last;
        if (before == null) {
            throw new IllegalStateException("the credentials for ZooKeeper cannot be obtained: " + failure, failure);
        }
        LOG.warnf("The credentials for ZooKeeper cannot be obtained, so those of the previous session are used: %s", failure);
        return before;
    }

    /** The one that is under way, if it is not too old: each costs a thread for as long as nobody answers. */
    private synchronized Question question(Supplier<String> source) {
        if (open != null && open.isTooOld()) {
            open.cancel(true);
        }
        if (open == null || open.isDone()) {
            var question = new Question(source);
            // On a separate thread, since the keeper of the credentials may never answer
            var asking = new Thread(question, "quarkus-lock-zookeeper-credentials");
            asking.setDaemon(true);
            asking.start();
            open = question; // now that there is a thread
        }
        return open;
    }

    /** Its answer is remembered even if nobody waits for it any more. */
    private final class Question extends FutureTask<String> {

        private final long askedAt = System.nanoTime();

        Question(Supplier<String> source) {
            super(source::get);
        }

        boolean isTooOld() {
            return System.nanoTime() - askedAt > patience.multipliedBy(OLDEST).toNanos();
        }

        @Override
        protected void set(String credentials) {
            synchronized (Identity.this) {
                if (!isCancelled()) {
                    last = credentials;
                }
            }
            super.set(credentials);
        }
    }
}
