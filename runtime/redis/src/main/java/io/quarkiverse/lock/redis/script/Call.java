package io.quarkiverse.lock.redis.script;

import org.jboss.logging.Logger;

import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/** One command on its way to the server and back. All but the construction happens on the event loop. */
public abstract class Call {

    private static final Logger LOG = Logger.getLogger(Call.class);

    private boolean over;

    /** The call has an outcome by this time of {@code System.nanoTime} at the latest. */
    public long deadline;
    /** When it was last written to the connection. */
    public long writtenAt;
    /** How often a node of a cluster has sent it to another one. */
    public int redirects;
    /** It goes to a node that does not have its slot yet. */
    public boolean behindAsking;

    /** Called right before it is written, each time. */
    public abstract Request request();

    public abstract void answered(Response reply);

    public abstract void failed(RedisFailure failure);

    /** Whether it may share a write with others: small, answered soon, and harmless when it is run twice. */
    public boolean mayGoTogether() {
        return false;
    }

    /** Whether it must come before everything sent after it, even before calls that replicas must acknowledge. */
    public boolean comesFirst() {
        return false;
    }

    /** Whether it asks for a lock: somebody may hold it by a former master's grant, so holds are confirmed first. */
    public boolean asks() {
        return false;
    }

    /** Whether it must wait for the first look at the server, where there is one. */
    public boolean needsLook() {
        return false;
    }

    /** Whether it may still be sent again. */
    public boolean wanted() {
        return true;
    }

    /** Whether to send it again, in another form, after the server said that it does not know the script. */
    public boolean spellOut() {
        return false;
    }

    /** It is not sent yet, since there is no connection; called again whenever another attempt at one has failed. */
    public void delayed(RedisFailure why) {
    }

    /** What was written last has certainly changed nothing at the server. */
    public void notRun() {
    }

    public boolean over() {
        return over;
    }

    /** Nobody wants the outcome any more. */
    public final void forget() {
        over = true;
    }

    public final void answer(Response reply) {
        if (!over()) {
            over = true;
            try {
                answered(reply);
            } catch (RuntimeException | Error e) {
                // The replies that came with it must still reach their calls
                LOG.error("A reply from Redis could not be used; please report this", e);
            }
        }
    }

    public final void fail(RedisFailure failure) {
        if (!over()) {
            over = true;
            try {
                failed(failure);
            } catch (RuntimeException | Error e) {
                LOG.error("A failure of Redis could not be handled; please report this", e);
            }
        }
    }
}
