package io.quarkiverse.lock.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import org.jboss.logmanager.ExtFormatter;
import org.jboss.logmanager.ExtLogRecord;
import org.jboss.logmanager.formatters.PatternFormatter;

/** What a class or a category logs until this is closed, on the test's thread. */
public final class LoggedRecords extends Handler implements AutoCloseable {

    private static final ExtFormatter MESSAGES = new PatternFormatter("%s");

    private final Logger logger;
    private final List<LogRecord> records = new ArrayList<>();

    LoggedRecords(Class<?> by) {
        this(by.getName());
    }

    public LoggedRecords(String category) {
        logger = Logger.getLogger(category);
        logger.addHandler(this);
    }

    List<LogRecord> records() {
        return records;
    }

    /** The warnings among them, formatted for people. */
    public List<String> warnings() {
        return records.stream().filter(each -> each.getLevel().intValue() >= Level.WARNING.intValue())
                .map(each -> MESSAGES.formatMessage(ExtLogRecord.wrap(each))).toList();
    }

    @Override
    public void publish(LogRecord logged) {
        records.add(logged);
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
