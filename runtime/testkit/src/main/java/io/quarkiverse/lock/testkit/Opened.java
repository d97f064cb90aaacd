package io.quarkiverse.lock.testkit;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * What a test has opened. Closes it in reverse order, at the end of each test if JUnit does it:
 *
 * <pre>{@code
 * @AutoClose
 * private final Opened opened = new Opened();
 *
 * RedisServer server = opened.add(RedisServer.start());
 * }</pre>
 */
public final class Opened implements AutoCloseable {

    private final Deque<AutoCloseable> last = new ArrayDeque<>();

    public <T extends AutoCloseable> T add(T closeable) {
        last.push(closeable);
        return closeable;
    }

    @Override
    public void close() throws Exception {
        while (!last.isEmpty()) {
            last.pop().close();
        }
    }
}
