package io.quarkiverse.lock.redis.quorum;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.redis.script.RedisFailure;
import io.quarkiverse.lock.redis.script.Script;
import io.vertx.redis.client.Response;

/** One question about a name, and the answers of the servers. Event loop only. */
final class Poll {

    private final Script script;
    private final String name;
    private final List<String> keys;
    private final List<String> args;
    private final QuorumErrors errors;
    private final Consumer<Poll> ended;
    private final Map<QuorumServer, Response> replies = new LinkedHashMap<>();
    private final Map<QuorumServer, String> failures = new LinkedHashMap<>(0);
    private Collection<QuorumServer> asked = List.of();
    private int unreadable;
    private boolean over;

    /** @param ended notified once, when each server has answered or failed */
    Poll(Script script, String name, List<String> keys, List<String> args, QuorumErrors errors, Consumer<Poll> ended) {
        this.script = script;
        this.name = name;
        this.keys = keys;
        this.args = args;
        this.errors = errors;
        this.ended = ended;
    }

    /** @param deadline by {@code System.nanoTime}; 0 for that of any call */
    void send(Collection<QuorumServer> servers, long deadline) {
        asked = servers;
        for (QuorumServer server : servers) {
            var question = new Question(server);
            question.deadline = deadline;
            server.send(question);
        }
        count(); // there may be nobody to ask
    }

    String name() {
        return name;
    }

    Collection<QuorumServer> asked() {
        return asked;
    }

    Collection<Response> replies() {
        return replies.values();
    }

    /** {@code null} if it has not answered. */
    @Nullable
    Response reply(QuorumServer server) {
        return replies.get(server);
    }

    boolean hasAnswered(QuorumServer server) {
        return replies.containsKey(server) || failures.containsKey(server);
    }

    Map<QuorumServer, String> failures() {
        return failures;
    }

    /** How many servers have something under that name that is not a record of ours. */
    int unreadable() {
        return unreadable;
    }

    /** Stops waiting for the others. */
    void end() {
        if (!over) {
            over = true;
            ended.accept(this);
        }
    }

    private void count() {
        if (replies.size() + failures.size() == asked.size()) {
            end();
        }
    }

    private final class Question extends ServerCall {

        Question(QuorumServer server) {
            super(server, script);
        }

        @Override
        public List<String> keys() {
            return keys;
        }

        @Override
        public List<String> args() {
            return args;
        }

        @Override
        public boolean wanted() {
            return !over;
        }

        @Override
        public void answered(Response reply) {
            replies.put(server, reply);
            count();
        }

        @Override
        public void failed(RedisFailure failure) {
            unreadable += failure.ofRecord() ? 1 : 0;
            failures.put(server, errors.failure(server, failure));
            count();
        }
    }
}
