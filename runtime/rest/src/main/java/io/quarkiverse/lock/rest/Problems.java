package io.quarkiverse.lock.rest;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.Response.Status;

import org.jboss.logging.Logger;

import io.quarkiverse.lock.LockException;
import io.quarkiverse.lock.StaleTokenException;
import io.quarkiverse.lock.runtime.config.LockRestConfig;
import io.quarkiverse.lock.text.PrintableName;
import io.quarkus.arc.Unremovable;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.runtime.configuration.ConfigurationException;

/** Builds the answers: RFC 9457, written by hand, since an application may have no JSON writer. */
@Singleton
@Unremovable
public class Problems {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.lock.rest");
    private static final MediaType PROBLEM = new MediaType("application", "problem+json");

    /** Weaker than the application's own mappers. */
    static final int PRIORITY = 6000;

    static final long QUIET_NANOS = Duration.ofSeconds(10).toNanos();

    private final LockRestConfig config;
    private final AtomicLong quietUntil = new AtomicLong(System.nanoTime());

    Problems(LockRestConfig config) {
        this.config = config;
    }

    /** So that a client whose lock is busy is not the first to meet it. */
    void check(@Observes StartupEvent started) {
        List<String> problems = new ArrayList<>();
        checkStatus("busy-status", config.busyStatus(), problems);
        checkStatus("lost-status", config.lostStatus(), problems);
        checkStatus("unavailable-status", config.unavailableStatus(), problems);
        if (config.retryAfter().isNegative()) {
            problems.add("quarkus.lock.rest.retry-after must not be negative, but is " + config.retryAfter());
        }
        if (!problems.isEmpty()) {
            throw new ConfigurationException(String.join("\n", problems));
        }
    }

    private static void checkStatus(String property, int status, List<String> problems) {
        if (status < 200 || status > 599) { // below, more is to follow; above, there is nothing
            problems.add("quarkus.lock.rest." + property + " must be from 200 to 599, but is " + status);
        }
    }

    /** Says when to retry, but does not claim that nothing was done: a lock may have been busy in the middle of the work. */
    Response busy(LockException failure) {
        return of(config.busyStatus(), "Locked", "A lock that this request needs is held by another caller; try again later",
                failure)
                .header(HttpHeaders.RETRY_AFTER, retryAfterSeconds()).build();
    }

    /** Does not ask for a retry: the failure may have been a release, after all the work was done. */
    Response unavailable(LockException failure) {
        if (warns(System.nanoTime())) {
            LOG.warn(PrintableName.oneLine("Answered with " + config.unavailableStatus() + ": " + failure.getMessage()));
        }
        return of(config.unavailableStatus(), "Locks unavailable",
                "Locks cannot be taken right now; part of this request may already have been done", failure)
                .build();
    }

    /** Whether to log an outage now: not for each request, nor for each new message, since each names one of many locks. */
    boolean warns(long now) {
        long until = quietUntil.get();
        return now - until >= 0 && quietUntil.compareAndSet(until, now + QUIET_NANOS);
    }

    /** Not to be retried blindly: part of the work may have been done. */
    Response lost(LockException failure) {
        return of(config.lostStatus(), "Lock lost",
                "A lock was lost while this request was being processed; its work may be incomplete", failure).build();
    }

    /** Text, since a client need not know what a lock is. */
    Response stale(StaleTokenException failure) {
        Status status = Status.PRECONDITION_FAILED;
        log(status.getStatusCode(), failure);
        return Response.status(status).type(MediaType.TEXT_PLAIN_TYPE)
                .entity(text("The request is refused: a later holder of the lock has written", failure.getMessage())).build();
    }

    /** What a client may read: names may contain data that is not for every client. */
    String text(String brief, String detailed) {
        return config.details() ? detailed : brief;
    }

    /** With the reason, which the client need not read. */
    static void log(int status, Exception failure) {
        LOG.debugf(failure, "Answered with %d", status);
    }

    private long retryAfterSeconds() {
        Duration wait = config.retryAfter();
        return wait.getSeconds() + (wait.getNano() > 0 ? 1 : 0); // whole seconds, rounded up
    }

    private Response.ResponseBuilder of(int status, String title, String detail, LockException failure) {
        log(status, failure);
        StringBuilder json = new StringBuilder("{\"type\":\"about:blank\",\"title\":").append(quoted(title))
                .append(",\"status\":").append(status)
                .append(",\"detail\":").append(quoted(text(detail, failure.getMessage())));
        if (config.details()) {
            json.append(",\"lock\":").append(quoted(failure.lockName()));
        }
        return Response.status(status).type(PROBLEM).entity(json.append('}').toString());
    }

    static String quoted(String text) {
        StringBuilder json = new StringBuilder("\"");
        for (char each : text.toCharArray()) {
            if (each == '"' || each == '\\') {
                json.append('\\').append(each);
            } else if (each < ' ' || Character.isSurrogate(each)) {
                json.append(String.format("\\u%04x", (int) each));
            } else {
                json.append(each);
            }
        }
        return json.append('"').toString();
    }
}
