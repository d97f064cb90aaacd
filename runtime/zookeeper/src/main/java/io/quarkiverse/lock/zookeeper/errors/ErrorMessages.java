package io.quarkiverse.lock.zookeeper.errors;

import java.time.Duration;

import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.spi.PrintableDuration;
import io.quarkiverse.lock.text.PrintableName;
import io.quarkiverse.lock.zookeeper.nodes.LockNodes;
import io.quarkiverse.lock.zookeeper.nodes.NodePaths;
import io.quarkiverse.lock.zookeeper.options.ZooKeeperLockOptions;

/** What failures say: the cause, the property that decides it, and what to do about it. */
public final class ErrorMessages {

    private static final String PREFIX = "quarkus.lock.zookeeper.";

    private final ZooKeeperLockOptions options;
    private final String root;

    public ErrorMessages(ZooKeeperLockOptions options, String root) {
        this.options = options;
        this.root = root;
    }

    /** No answer in time, for a request that may have been sent. */
    public LockBackendException unreachable(String name, boolean connected) {
        return of(name, connected
                ? "ZooKeeper does not answer within " + timeout() + ". Check that a majority of the servers in " + PREFIX
                        + "connect-string runs"
                : "ZooKeeper cannot be reached within " + timeout() + ". Check that " + PREFIX
                        + "connect-string names the servers, and that a majority of them runs");
    }

    /** There is no connection now, and nobody knows for how long. */
    public LockBackendException disconnected(String name) {
        return of(name, "there is no connection to ZooKeeper. Check that " + PREFIX
                + "connect-string names the servers, and that a majority of them runs");
    }

    private String timeout() {
        return PREFIX + "operation-timeout=" + PrintableDuration.of(options.operationTimeout());
    }

    public LockBackendException closed(String name) {
        return of(name, "the application is shutting down");
    }

    public LockBackendException format(String name, String format) {
        return of(name, "the locks below " + root + " in ZooKeeper have format " + format
                + ", but this application knows only format " + NodePaths.FORMAT
                + ". A newer version of Quarkus Lock uses the same "
                + PREFIX + "root and quarkus.lock.namespace: upgrade this application, or give it another namespace");
    }

    public LockBackendException foreign(String name, String path, String child) {
        return of(name, path + " in ZooKeeper has a node '" + child + "', which is none of " + PREFIX + "nodes="
                + (options.nodes() == LockNodes.MUTEX ? "mutex" : "read-write")
                + ". All applications that lock this name need the same nodes, and nothing else may be there: correct it, or "
                + "change " + PREFIX + "root");
    }

    public LockBackendException shortSession(String name, int negotiatedMillis) {
        boolean delays = !options.afterLossDelay().isZero();
        return of(name,
                "the session timeout of " + PrintableDuration.of(Duration.ofMillis(negotiatedMillis))
                        + " that ZooKeeper grants is too short for "
                        + (delays ? "quarkus.lock.after-loss-delay=" + PrintableDuration.of(options.afterLossDelay()) + " and "
                                : "")
                        + PREFIX + "tick-time=" + PrintableDuration.of(options.tickTime()) + ". Raise " + sessionTimeout()
                        + ", or " + (delays ? "shorten the delay, or " : "") + "correct tick-time to what the servers have");
    }

    /** Both include the after-loss delay, which is not the holder's. */
    public LockBackendException longLease(String name, long asked, long possible) {
        long delay = options.afterLossDelay().toNanos();
        return of(name, "it cannot be kept for " + PrintableDuration.ofNanos(asked - delay) + " without a renewal: this "
                + "session allows " + PrintableDuration.ofNanos(possible - delay) + ". Raise " + sessionTimeout()
                + ", or ask for a shorter lease");
    }

    public IllegalArgumentException longUnrenewedLease(Duration asked, Duration possible) {
        return new IllegalArgumentException("Lock backend 'zookeeper' cannot keep a lock for " + PrintableDuration.of(asked)
                + " without a renewal: the session allows " + PrintableDuration.of(possible) + ". Let it be renewed, with "
                + "LockOptions.withRenew(true), ask for a shorter lease, or raise " + sessionTimeout());
    }

    private String sessionTimeout() {
        return options.sessionSetting() + ", and maxSessionTimeout of the servers if that is what limits it";
    }

    /** The servers have answered with an error, or the connection broke. */
    public LockBackendException failure(String name, int rc, String path) {
        var cause = KeeperException.create(Code.get(rc), path);
        return new LockBackendException(name, "Lock '" + PrintableName.of(name) + "': " + reason(Code.get(rc), path, cause),
                cause);
    }

    /** Whether a server has answered, though only that it has too much to do. */
    public static boolean overloaded(Throwable failure) {
        return failure.getCause() instanceof KeeperException refused && refused.code() == Code.THROTTLEDOP;
    }

    /** @param most the most bytes that the paths of all its nodes may have */
    public LockBackendException noRoom(String name, long most) {
        return of(name, "with another node, the ZooKeeper session of this JVM would have nodes with paths of more than " + most
                + " bytes in total, one and a half times jute.maxbuffer. The servers delete them in one transaction, and would "
                + "not be able to read that. Lock fewer or shorter names in one JVM, or raise -Djute.maxbuffer on all servers "
                + "first and then here; servers with -Dzookeeper.closeSessionTxn.enabled=false need no higher one");
    }

    /** Of one name. */
    public LockBackendException tooManyNodes(String name, int count, int most) {
        return of(name, count + " nodes in ZooKeeper hold it or wait for it, and at most " + most + " surely fit into the one "
                + "reply in which the servers list them: raise -Djute.maxbuffer of this application, which is 1048575 bytes "
                + "unless it is set");
    }

    /** The servers have no pages of children. */
    public LockBackendException tooManyNames(String name, int count, int most) {
        return of(name, "there are " + count + " names below " + root + " in ZooKeeper, and at most " + most
                + " can be listed: the servers send all names in one reply. Ask for single names with inspect, or split the "
                + "locks between applications with different namespaces (quarkus.lock.namespace)");
    }

    /** The reply is above {@code jute.maxbuffer}, or the connection was lost just then. */
    public LockBackendException tooLongNames(String name, int count, Throwable cause) {
        return new LockBackendException(name, "Lock '" + PrintableName.of(name) + "': the connection to ZooKeeper that was to "
                + "list the " + count + " names below " + root + " was lost; locks use another one. The names may be longer "
                + "in total than the client accepts: raise -Djute.maxbuffer, which is 1048575 bytes unless it is set", cause);
    }

    /** There is no client for it. */
    public LockBackendException noList(String name, Throwable cause) {
        return new LockBackendException(name, "Lock '" + PrintableName.of(name)
                + "': no connection to ZooKeeper could be made to list what is locked: " + cause, cause);
    }

    /** A request for release is written into the holder's node, and so is a downgrade. */
    public LockBackendException mayNotWrite(String name, String path) {
        var cause = KeeperException.create(Code.NOAUTH, path);
        return new LockBackendException(name, "Lock '" + PrintableName.of(name) + "': ZooKeeper does not allow writing to "
                + path + ". requestRelease and downgrade need permission to write (w), besides those to create, delete and "
                + "read: set cdrw in " + PREFIX + "acl of the applications that create the nodes, or correct " + PREFIX
                + "auth.username and " + PREFIX + "auth.password", cause);
    }

    public String reason(int rc, String path) {
        return reason(Code.get(rc), path, KeeperException.create(Code.get(rc), path));
    }

    private String reason(Code code, String path, KeeperException cause) {
        return switch (code) {
            case NOAUTH -> "ZooKeeper does not allow this at " + path + ". Correct " + PREFIX + "auth.username and " + PREFIX
                    + "auth.password, or what " + PREFIX + "credentials-provider names, or let the ACL of " + root
                    + " and of the nodes below it allow this identity to create, read, write and delete. With the digest "
                    + "scheme, a changed password is another identity";
            case AUTHFAILED, SESSIONCLOSEDREQUIRESASLAUTH ->
                "ZooKeeper refuses the credentials, or the login of this JVM failed before it sent any: see its log. "
                        + "Correct " + PREFIX + "auth.username and " + PREFIX + "auth.password, or the JAAS section of "
                        + PREFIX
                        + "sasl.login-context";
            case INVALIDACL -> "ZooKeeper refuses the access rights of " + path + ". Correct " + PREFIX + "acl";
            case NOCHILDRENFOREPHEMERALS -> path + " in ZooKeeper is used by something else: it is an ephemeral node, so there "
                    + "can be no locks below it. Remove it, or change " + PREFIX + "root";
            case NONODE -> "there is no " + path + " in ZooKeeper, and it cannot be created. If " + PREFIX
                    + "connect-string ends with a path, that path has to exist: create it, or correct " + PREFIX
                    + "connect-string";
            case UNIMPLEMENTED -> "the ZooKeeper servers of " + PREFIX + "connect-string are too old: container nodes need 3.5";
            case NOTREADONLY -> "the ZooKeeper server is read-only, since it is cut off from the majority of those in "
                    + PREFIX + "connect-string";
            case CONNECTIONLOSS, OPERATIONTIMEOUT, SESSIONMOVED, SESSIONEXPIRED ->
                "the connection to ZooKeeper was lost (" + code + "). Check that a majority of the servers in " + PREFIX
                        + "connect-string runs";
            default -> "ZooKeeper answers with an error at " + path + ": " + cause.getMessage();
        };
    }

    private static LockBackendException of(String name, String what) {
        return new LockBackendException(name, "Lock '" + PrintableName.of(name) + "': " + what, null);
    }

    public LockBackendException refused(String name, Refusal refusal) {
        if (refusal.shortTimeoutMillis() > 0) {
            return shortSession(name, refusal.shortTimeoutMillis());
        }
        return refusal.format() != null ? format(name, refusal.format()) : failure(name, refusal.rc(), refusal.path());
    }
}
