package io.quarkiverse.lock.zookeeper;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import org.jboss.logmanager.ExtLogRecord;

/** The warnings that a category has logged meanwhile. */
final class Said extends Handler implements AutoCloseable {

    private final Logger logger;
    private final Queue<String> lines = new ConcurrentLinkedQueue<>();

    Said(Class<?> by) {
        this(by.getName());
    }

    /** What the backend says. */
    Said() {
        this("io.quarkiverse.lock.zookeeper");
    }

    private Said(String category) {
        logger = Logger.getLogger(category);
        logger.addHandler(this);
    }

    String text() {
        return String.join("\n", lines);
    }

    @Override
    public void publish(LogRecord record) {
        if (record.getLevel().intValue() >= Level.WARNING.intValue()) {
            lines.add(ExtLogRecord.wrap(record).getFormattedMessage());
        }
    }

    @Override
    public void flush() {
        // Nothing is kept back
    }

    @Override
    public void close() {
        logger.removeHandler(this);
    }
}
