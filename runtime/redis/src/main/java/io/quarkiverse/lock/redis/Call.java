package io.quarkiverse.lock.redis;

import org.jboss.logging.Logger;

import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/** One command on its way to the server and back. All but the construction happens on the {@link EventLoop}. */
abstract class Call {

    private static final Logger LOG = Logger.getLogger(Call.class);

    private boolean over;

    /** Not later than this, by {@code System.nanoTime}, the call has an outcome. */
    long deadline;
    /** When it was last written to the connection. */
    long writtenAt;
    /** How often a node of a cluster has sent it to another one. */
    int redirects;
    /** It goes to a node that does not have its slot yet. */
    boolean behindAsking;

    /** Called right before it is written, each time. */
    abstract Request request();

    abstract void answered(Response reply);

    abstract void failed(RedisFailure failure);

    /** Whether it may share a write with others: small, answered soon, and harmless when it is run twice. */
    boolean mayGoTogether() {
        return false;
    }

    /** Whether it has to come before whatever is sent after it, also before what replicas are asked for. */
    boolean comesFirst() {
        return false;
    }

    /** Whether it asks for a lock that somebody may hold by a former master's grant: what is held is confirmed before. */
    boolean asks() {
        return false;
    }

    /** Whether it may still be sent again. */
    boolean wanted() {
        return true;
    }

    /** Whether to send it again, in another form, after the server said that it does not know the script. */
    boolean spellOut() {
        return false;
    }

    boolean over() {
        return over;
    }

    /** Nobody wants to know any more. */
    final void forget() {
        over = true;
    }

    final void answer(Response reply) {
        if (!over()) {
            over = true;
            try {
                answered(reply);
            } catch (RuntimeException e) {
                // The replies that came with it are to reach their calls
                LOG.error("A reply from Redis could not be used; please report this", e);
            }
        }
    }

    final void fail(RedisFailure failure) {
        if (!over()) {
            over = true;
            try {
                failed(failure);
            } catch (RuntimeException e) {
                LOG.error("A failure of Redis could not be told; please report this", e);
            }
        }
    }
}
