package io.quarkiverse.lock.redis.quorum;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.redis.script.RedisFailure;
import io.quarkiverse.lock.redis.script.Script;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.Outcome;
import io.vertx.redis.client.Response;

/** What operators ask about a name: all servers, and a majority has to answer. Event loop only. */
final class QuorumQuestions {

    private final QuorumServers servers;
    private final QuorumKeys keys;
    private final QuorumErrors errors;

    QuorumQuestions(QuorumServers servers, QuorumKeys keys, QuorumErrors errors) {
        this.servers = servers;
        this.keys = keys;
        this.errors = errors;
    }

    /** Who has the name: whoever may have a majority. */
    void inspect(String name, Outcome<Optional<LockInfo>> outcome) {
        new Round(Script.QUORUM_INSPECT, name, replies -> outcome.complete(state(name, replies)), outcome::fail).send();
    }

    /** Takes the name from whoever has it; whether anybody had. */
    void forceRelease(String name, Outcome<Boolean> outcome) {
        new Round(Script.QUORUM_FORCE, name,
                replies -> outcome.complete(replies.stream().anyMatch(reply -> reply.toInteger() == 1)), outcome::fail).send();
    }

    private Optional<LockInfo> state(String name, List<Response> replies) {
        int silent = servers.all().size() - replies.size();
        int waiters = 0;
        Map<String, Integer> votes = new HashMap<>();
        Response found = null;
        for (Response reply : replies) {
            waiters = Math.max(waiters, reply.get(0).toInteger());
            if (reply.size() > 1) {
                votes.merge(reply.get(1).toString(), 1, Integer::sum);
            }
        }
        for (Response reply : replies) {
            if (reply.size() > 1 && !reply.get(2).toString().isEmpty()
                    && votes.get(reply.get(1).toString()) + silent >= servers.majority()) {
                found = reply;
            }
        }
        if (found == null) {
            return waiters == 0 ? Optional.empty() : Optional.of(new LockInfo(name, List.of(), waiters));
        }
        var holder = new LockInfo.Holder(found.get(3).toString(),
                Grant.firstToken(Long.parseLong(found.get(2).toString())), LockMode.EXCLUSIVE, 0,
                Duration.ofMillis(found.get(4).toLong()), Duration.ofMillis(found.get(5).toLong()));
        return Optional.of(new LockInfo(name, List.of(holder), waiters));
    }

    private final class Round {

        private final Script script;
        private final String name;
        private final Consumer<List<Response>> answered;
        private final Consumer<Throwable> failed;
        private final List<Response> replies = new ArrayList<>();
        private final Map<QuorumServer, String> failures = new LinkedHashMap<>();

        Round(Script script, String name, Consumer<List<Response>> answered, Consumer<Throwable> failed) {
            this.script = script;
            this.name = name;
            this.answered = answered;
            this.failed = failed;
        }

        void send() {
            servers.all().forEach(server -> server.send(new Question(server)));
        }

        private void count() {
            if (replies.size() + failures.size() < servers.all().size()) {
                return;
            }
            if (replies.size() >= servers.majority()) {
                answered.accept(replies);
            } else {
                failed.accept(errors.tooFew(name, failures));
            }
        }

        private final class Question extends ServerCall {

            Question(QuorumServer server) {
                super(server, script);
            }

            @Override
            public List<String> keys() {
                return keys.ofName(name);
            }

            @Override
            public List<String> args() {
                return List.of(keys.retention());
            }

            @Override
            public void answered(Response reply) {
                replies.add(reply);
                count();
            }

            @Override
            public void failed(RedisFailure failure) {
                failures.put(server, errors.failure(server, failure));
                count();
            }
        }
    }
}
