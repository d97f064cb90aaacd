package io.quarkiverse.lock.zookeeper.errors;

import org.apache.zookeeper.KeeperException.Code;

/** What the result codes of ZooKeeper mean for a request. */
public final class ReplyCodes {

    private ReplyCodes() {
    }

    /**
     * The servers may or may not have run the request; the next event of the session decides what to do. A server that is
     * read-only has not run it, and the next one that is not will be reported as a connection, too.
     */
    public static boolean connectionLost(int rc) {
        return rc == Code.NOTREADONLY.intValue() || rc == Code.CONNECTIONLOSS.intValue() || rc == Code.SESSIONEXPIRED.intValue()
                || rc == Code.SESSIONMOVED.intValue();
    }

    /** The same request may succeed a little later, over the same connection. */
    public static boolean busy(int rc) {
        return rc == Code.OPERATIONTIMEOUT.intValue() || rc == Code.REQUESTTIMEOUT.intValue()
                || rc == Code.THROTTLEDOP.intValue();
    }
}
