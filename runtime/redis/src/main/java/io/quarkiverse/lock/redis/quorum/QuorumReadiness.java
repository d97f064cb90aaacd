package io.quarkiverse.lock.redis.quorum;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.quarkiverse.lock.redis.script.RedisFailure;
import io.quarkiverse.lock.redis.script.Script;
import io.quarkiverse.lock.spi.Outcome;
import io.vertx.redis.client.Response;

/** Whether a majority takes part in granting: a server that answers may still sit out. Event loop only. */
final class QuorumReadiness {

    private final QuorumServers servers;
    private final QuorumKeys keys;
    private final QuorumErrors errors;

    QuorumReadiness(QuorumServers servers, QuorumKeys keys, QuorumErrors errors) {
        this.servers = servers;
        this.keys = keys;
        this.errors = errors;
    }

    /** @param name the name that the failure mentions */
    void ask(String name, Outcome<Void> outcome) {
        var round = new Round(name, outcome);
        servers.all().forEach(server -> server.send(round.new Question(server)));
    }

    private final class Round {

        private final String name;
        private final Outcome<Void> outcome;
        private final Map<QuorumServer, String> absent = new LinkedHashMap<>(0);
        private int present;

        Round(String name, Outcome<Void> outcome) {
            this.name = name;
            this.outcome = outcome;
        }

        private void count() {
            if (present >= servers.majority()) {
                outcome.complete(null);
            } else if (present + absent.size() == servers.all().size()) {
                outcome.fail(errors.tooFew(name, absent));
            }
        }

        private final class Question extends ServerCall {

            Question(QuorumServer server) {
                super(server, Script.QUORUM_BEGIN);
            }

            @Override
            public List<String> keys() {
                return List.of(keys.marker());
            }

            @Override
            public List<String> args() {
                return List.of(keys.toldLongestLease());
            }

            @Override
            public void answered(Response reply) {
                keys.refusals().heard(server, reply);
                long number = reply.get(1).toLong();
                if (reply.get(0).toString().equals("LONGEST")) {
                    absent.put(server, errors.otherLongest(String.valueOf(number)));
                } else if (number > 0) {
                    absent.put(server, errors.sitsOut(number));
                } else {
                    present++;
                }
                count();
            }

            @Override
            public void failed(RedisFailure failure) {
                absent.put(server, errors.failure(server, failure));
                count();
            }
        }
    }
}
