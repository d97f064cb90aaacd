package io.quarkiverse.lock.redis.quorum;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.redis.script.Script;
import io.quarkiverse.lock.spi.Outcome;
import io.vertx.redis.client.Response;

/** What operators ask about a name: it is asked of all servers, and a majority must answer. Event loop only. */
final class QuorumQuestions {

    private final QuorumServers servers;
    private final QuorumKeys keys;
    private final QuorumErrors errors;
    private final QuorumState state;

    QuorumQuestions(QuorumServers servers, QuorumKeys keys, QuorumErrors errors) {
        this.servers = servers;
        this.keys = keys;
        this.errors = errors;
        this.state = new QuorumState(servers.all().size(), servers.majority());
    }

    /** Who has the name: any claim that may have a majority. */
    void inspect(String name, Outcome<Optional<LockInfo>> outcome) {
        ask(Script.QUORUM_INSPECT, name, replies -> outcome.complete(state.of(name, replies)), outcome);
    }

    /** Takes the name from its holder; answers whether there was one. */
    void forceRelease(String name, Outcome<Boolean> outcome) {
        ask(Script.QUORUM_FORCE, name, replies -> outcome.complete(state.holder(replies) != null), outcome);
    }

    /** Asks its holder to finish; answers whether there is one. */
    void requestRelease(String name, Outcome<Boolean> outcome) {
        ask(Script.QUORUM_REQUEST, name, replies -> outcome.complete(state.holder(replies) != null), outcome);
    }

    private void ask(Script script, String name, Consumer<Collection<Response>> answered, Outcome<?> outcome) {
        new Poll(script, name, keys.ofName(name), List.of(keys.retention()), errors, poll -> {
            if (poll.replies().size() < servers.majority()) {
                outcome.fail(errors.tooFew(name, poll.failures()));
                return;
            }
            try {
                answered.accept(poll.replies());
            } catch (RuntimeException e) {
                outcome.fail(errors.unreadable(name, e));
            }
        }).send(servers.all(), 0);
    }
}
