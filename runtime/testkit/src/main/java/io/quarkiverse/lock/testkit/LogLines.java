package io.quarkiverse.lock.testkit.contract;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import org.jboss.logmanager.ExtLogRecord;
import org.jspecify.annotations.Nullable;

/** Everything that the extension logs meanwhile, as it is said to people. A test locks {@link #LOG} while it listens. */
final class LogLines extends Handler implements AutoCloseable {

    static final String LOG = "the level of the log";

    private final Logger logger = Logger.getLogger("io.quarkiverse.lock");
    private final @Nullable Level before = logger.getLevel();
    private final List<String> messages = new CopyOnWriteArrayList<>();

    LogLines() {
        setLevel(Level.ALL);
        logger.setLevel(Level.ALL);
        logger.addHandler(this);
    }

    List<String> messages() {
        return messages;
    }

    @Override
    public void publish(LogRecord record) {
        messages.add(ExtLogRecord.wrap(record).getFormattedMessage());
    }

    @Override
    public void flush() {
        // Nothing is kept back
    }

    @Override
    public void close() {
        logger.removeHandler(this);
        logger.setLevel(before);
    }
}
