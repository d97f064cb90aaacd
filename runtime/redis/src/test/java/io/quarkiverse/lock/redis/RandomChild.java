package io.quarkiverse.lock.redis;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.quarkiverse.lock.testkit.history.History;
import io.quarkiverse.lock.testkit.process.ChildMain;
import io.quarkiverse.lock.testkit.random.RandomUser;

/** A JVM of the randomized run that can be paused and killed. */
public class RandomChild implements ChildMain {

    private RandomUser user;
    private RedisLockBackend backend;

    @Override
    public void start(String[] arguments, Child child) {
        String process = arguments[0];
        backend = RandomRunTest.backend(arguments[1], process, Duration.parse(arguments[2]));
        user = new RandomUser(process, backend, RandomRunTest.NAMES, Long.parseLong(arguments[3]),
                Integer.parseInt(arguments[4]), History.writer(Path.of(arguments[5])));
    }

    /** {@code stop}, {@code surprises} or {@code leftovers}; the answer is empty when all is well. */
    @Override
    public String handle(String request, Child child) throws Exception {
        List<String> answer = switch (request) {
            case "stop" -> {
                user.stop();
                user.join();
                yield List.of();
            }
            case "surprises" -> user.surprises();
            case "leftovers" -> RandomRunTest.leftovers(user, backend);
            case "granted" -> List.of(Long.toString(user.granted()));
            default -> throw new IllegalArgumentException(request);
        };
        return String.join("; ", answer).replace('\n', ' ');
    }
}
