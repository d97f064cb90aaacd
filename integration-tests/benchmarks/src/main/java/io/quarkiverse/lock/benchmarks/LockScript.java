package io.quarkiverse.lock.benchmarks;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;

import io.quarkiverse.lock.redis.RedisLockBackend;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;

/** The backend's scripts, as the server receives them; the files are next to the backend's classes. */
enum LockScript {

    ACQUIRE("head", "acquire-quick", "state", "holders", "waiters", "storage", "acquire"),
    RELEASE("head", "release-quick", "state", "holders", "waiters", "storage", "release"),
    RENEW("renew"),
    QUORUM_ASK("quorum-clock", "quorum-life", "quorum-name", "quorum-ask"),
    QUORUM_WRITE("quorum-clock", "quorum-name", "quorum-write"),
    QUORUM_FREE("quorum-clock", "quorum-name", "quorum-free");

    private final String text;

    LockScript(String... files) {
        var all = new StringBuilder();
        for (String file : files) {
            all.append(read(file + ".lua"));
        }
        text = all.toString();
    }

    Request load() {
        return Request.cmd(Command.SCRIPT).arg("LOAD").arg(text);
    }

    /** @param sha what {@link #load} replied */
    static Request call(String sha, List<String> keys, String... args) {
        Request request = Request.cmd(Command.EVALSHA).arg(sha).arg(keys.size());
        keys.forEach(request::arg);
        for (String arg : args) {
            request.arg(arg);
        }
        return request;
    }

    private static String read(String file) {
        try (InputStream in = RedisLockBackend.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException(file + " is not beside " + RedisLockBackend.class);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty() && !line.startsWith("--"))
                    .collect(Collectors.joining("\n", "", "\n"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
