package io.quarkiverse.lock.redis;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** The warnings of the backend. */
final class LogCapture extends Handler implements AutoCloseable {

    private final Logger logger = Logger.getLogger(RedisLockBackend.class.getPackageName());
    final List<String> warnings = new CopyOnWriteArrayList<>();

    LogCapture() {
        logger.addHandler(this);
    }

    @Override
    public void publish(LogRecord record) {
        if (record.getLevel().intValue() >= Level.WARNING.intValue()) {
            String message = record instanceof org.jboss.logmanager.ExtLogRecord ext ? ext.getFormattedMessage()
                    : record.getMessage();
            warnings.add(message);
        }
    }

    @Override
    public void flush() {
    }

    @Override
    public void close() {
        logger.removeHandler(this);
    }
}
