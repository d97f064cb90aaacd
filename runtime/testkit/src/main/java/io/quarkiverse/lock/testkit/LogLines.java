package io.quarkiverse.lock.testkit;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import org.jboss.logmanager.ExtFormatter;
import org.jboss.logmanager.ExtLogRecord;
import org.jboss.logmanager.formatters.PatternFormatter;
import org.jspecify.annotations.Nullable;

/** Everything that a category logs until this is closed, as formatted messages. */
public final class LogLines extends Handler implements AutoCloseable {

    /** The resource that a test locks while it listens to {@link #everything}. */
    public static final String LOG = "the level of the log";

    private static final ExtFormatter MESSAGES = new PatternFormatter("%s");

    private final Logger logger;
    private final Level least;
    private final @Nullable Level before;
    private final List<String> messages = new CopyOnWriteArrayList<>();

    private LogLines(String category, Level least) {
        logger = Logger.getLogger(category);
        this.least = least;
        before = logger.getLevel();
    }

    /** Everything that the extension logs. */
    public static LogLines everything() {
        var lines = new LogLines("io.quarkiverse.lock", Level.ALL);
        lines.logger.setLevel(Level.ALL);
        lines.logger.addHandler(lines);
        return lines;
    }

    /** The warnings of a category and those below it, unless their level is set higher. */
    public static LogLines warnings(String category) {
        return of(category, Level.WARNING);
    }

    /** As {@link #warnings}, and informational messages too. */
    public static LogLines news(String category) {
        return of(category, Level.INFO);
    }

    private static LogLines of(String category, Level least) {
        var lines = new LogLines(category, least);
        lines.logger.addHandler(lines);
        return lines;
    }

    public List<String> messages() {
        return messages;
    }

    /** All messages, one per line. */
    public String text() {
        return String.join("\n", messages);
    }

    @Override
    public void publish(LogRecord record) {
        if (record.getLevel().intValue() >= least.intValue()) {
            messages.add(MESSAGES.formatMessage(ExtLogRecord.wrap(record)));
        }
    }

    @Override
    public void flush() {
        // Nothing is buffered
    }

    @Override
    public void close() {
        logger.removeHandler(this);
        if (least == Level.ALL) {
            logger.setLevel(before);
        }
    }
}
