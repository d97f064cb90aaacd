package io.quarkiverse.lock.redis.quorum;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.redis.script.Script;
import io.quarkiverse.lock.spi.Outcome;
import io.vertx.redis.client.Response;

/** What operators ask about a name: all servers, and a majority has to answer. Event loop only. */
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

    /** Who has the name: whoever may have a majority. */
    void inspect(String name, Outcome<Optional<LockInfo>> outcome) {
        ask(Script.QUORUM_INSPECT, name, replies -> outcome.complete(state.of(name, replies)), outcome);
    }

    /** Takes the name from whoever has it; whether anybody had. */
    void forceRelease(String name, Outcome<Boolean> outcome) {
        ask(Script.QUORUM_FORCE, name,
                replies -> outcome.complete(replies.stream().anyMatch(reply -> reply.toInteger() == 1)), outcome);
    }

    /** Asks whoever has it to finish; whether anybody has. */
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
