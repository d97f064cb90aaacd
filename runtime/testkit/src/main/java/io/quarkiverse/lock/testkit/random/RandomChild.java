package io.quarkiverse.lock.testkit.random;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.testkit.faults.ChildBackend;
import io.quarkiverse.lock.testkit.history.History;
import io.quarkiverse.lock.testkit.process.ChildMain;

/** A JVM of a randomized run: a {@link RandomUser} that can be paused, killed, and told to end. */
public final class RandomChild implements ChildMain {

    private static final String BETWEEN = "\u001f";

    private @Nullable ChildBackend factory;
    private @Nullable LockBackend backend;
    private @Nullable RandomUser user;

    /** The arguments of {@link #start}. */
    static String[] arguments(String process, Path history, ChildBackend.Spec spec, RandomLoad load, long seed, int register) {
        List<String> backend = spec.arguments();
        return new String[] { process, history.toString(), Long.toString(seed), Integer.toString(register),
                String.join(BETWEEN, load.names()), Integer.toString(load.threads()), load.longestLease().toString(),
                load.keptFor().toString(), Integer.toString(load.timers()), spec.factory().getName(),
                String.join(BETWEEN, backend) };
    }

    @Override
    public void start(String[] arguments, Child child) throws Exception {
        String process = arguments[0];
        int register = Integer.parseInt(arguments[3]);
        var load = new RandomLoad(list(arguments[4]), Integer.parseInt(arguments[5]), Duration.parse(arguments[6]),
                Duration.parse(arguments[7]), Integer.parseInt(arguments[8]));
        factory = (ChildBackend) Class.forName(arguments[9]).getDeclaredConstructor().newInstance();
        backend = factory.backend(process, list(arguments[10]));
        user = new RandomUser(process, backend, load, Long.parseLong(arguments[2]),
                register == 0 ? Duty.NONE : new CountingDuty(register), History.writer(Path.of(arguments[1])));
        Runtime.getRuntime().addShutdownHook(new Thread(user::close, "shutdown"));
    }

    private static List<String> list(String joined) {
        return Arrays.asList(joined.split(BETWEEN, -1));
    }

    /**
     * {@code stop}, {@code linger} with the minimum duration in milliseconds of all holds from now on, {@code surprises},
     * {@code leftovers}, {@code granted}, or a deed that only the backend knows; an empty answer means that all is well.
     */
    @Override
    public String handle(String request, Child child) throws Exception {
        String[] word = request.split(" ");
        List<String> answer = switch (word[0]) {
            case "stop" -> {
                user.stop();
                user.join();
                yield List.of();
            }
            case "linger" -> {
                user.linger(Duration.ofMillis(Long.parseLong(word[1])));
                yield List.of();
            }
            case "surprises" -> user.surprises();
            case "leftovers" -> {
                List<String> left = user.leftovers();
                left.addAll(factory.leftovers(backend));
                yield left;
            }
            case "granted" -> List.of(Long.toString(user.granted()));
            default -> {
                factory.deed(backend, request);
                yield List.of();
            }
        };
        return answer.stream().map(each -> each.replace('\n', ' ')).collect(Collectors.joining("; "));
    }
}
