package io.quarkiverse.lock.redis.quorum;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.redis.script.Script;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Outcome;
import io.quarkiverse.lock.spi.WaitNotes;
import io.vertx.redis.client.Response;

/**
 * What is asked about a name by others than its claims: of all servers, a majority of which must answer. Also notes beside the
 * places of waiting claims, which count if a majority has them. Event loop only.
 */
final class QuorumQuestions {

    private static final String KEPT = String.valueOf(2 * WaitNotes.REWRITTEN_WITHIN.toMillis());

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

    void note(Claim waiting, String note, Outcome<Boolean> outcome) {
        ask(Script.QUORUM_NOTE, waiting.name(), keys.ofNotes(waiting.name()),
                List.of(keys.retention(), waiting.token() + "|" + keys.place(), note, KEPT), replies -> outcome.complete(
                        replies.stream().filter(reply -> reply.toInteger() == 1).count() >= servers.majority()),
                outcome);
    }

    /** A granted claim no longer has a place at a majority. */
    void line(String name, Outcome<WaitNotes.Line> outcome) {
        ask(Script.QUORUM_LINE, name, keys.ofNotes(name), List.of(keys.retention()),
                replies -> outcome.complete(state.line(replies)), outcome);
    }

    private void ask(Script script, String name, Consumer<Collection<Response>> answered, Outcome<?> outcome) {
        ask(script, name, keys.ofName(name), List.of(keys.retention()), answered, outcome);
    }

    private void ask(Script script, String name, List<String> its, List<String> args, Consumer<Collection<Response>> answered,
            Outcome<?> outcome) {
        new Poll(script, name, its, args, errors, poll -> {
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
