package io.quarkiverse.lock.redis.quorum;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.redis.script.Script;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Outcome;
import io.quarkiverse.lock.spi.WaitNotes;
import io.vertx.redis.client.Response;

/**
 * Notes beside the places of waiting claims, at all servers; a note counts if a majority has it. A granted claim no longer has
 * a place at a majority. Event loop only.
 */
final class QuorumNotes {

    private static final String KEPT = String.valueOf(2 * WaitNotes.REWRITTEN_WITHIN.toMillis());

    private final QuorumServers servers;
    private final QuorumKeys keys;
    private final QuorumErrors errors;
    private final QuorumState state;

    QuorumNotes(QuorumServers servers, QuorumKeys keys, QuorumErrors errors) {
        this.servers = servers;
        this.keys = keys;
        this.errors = errors;
        this.state = new QuorumState(servers.all().size(), servers.majority());
    }

    void note(Claim waiting, String note, Outcome<Boolean> outcome) {
        ask(Script.QUORUM_NOTE, waiting.name(),
                List.of(keys.retention(), waiting.token() + "|" + keys.place(), note, KEPT), replies -> outcome.complete(
                        replies.stream().filter(reply -> reply.toInteger() == 1).count() >= servers.majority()),
                outcome);
    }

    void line(String name, Outcome<WaitNotes.Line> outcome) {
        ask(Script.QUORUM_LINE, name, List.of(keys.retention()), replies -> outcome.complete(line(replies)), outcome);
    }

    private void ask(Script script, String name, List<String> args, Consumer<Collection<Response>> answered,
            Outcome<?> outcome) {
        new Poll(script, name, keys.ofNotes(name), args, errors, poll -> {
            if (poll.replies().size() >= servers.majority()) {
                answered.accept(poll.replies());
            } else {
                outcome.fail(errors.tooFew(name, poll.failures()));
            }
        }).send(servers.all(), 0);
    }

    private WaitNotes.Line line(Collection<Response> replies) {
        Map<String, Integer> votes = new HashMap<>();
        Map<String, WaitNotes.Waiter> waiters = new LinkedHashMap<>();
        for (Response reply : replies) {
            for (Response each : reply.get(1)) {
                String claim = each.get(0).toString();
                votes.merge(claim, 1, Integer::sum);
                waiters.putIfAbsent(claim, new WaitNotes.Waiter(claim, Long.parseLong(each.get(1).toString()),
                        each.get(2).toString(), each.get(3).toString()));
            }
        }
        waiters.keySet().removeIf(claim -> !state.enough(votes.get(claim), replies));
        Response holder = state.holder(replies);
        List<WaitNotes.Holder> holders = holder == null ? List.of()
                : List.of(new WaitNotes.Holder(Long.parseLong(holder.get(3).toString()), LockMode.EXCLUSIVE, 0));
        return new WaitNotes.Line(holders, new ArrayList<>(waiters.values()));
    }
}
