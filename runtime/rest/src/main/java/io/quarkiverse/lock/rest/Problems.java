package io.quarkiverse.lock.rest;

import java.time.Duration;

import jakarta.inject.Singleton;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;

import org.jboss.logging.Logger;

import io.quarkiverse.lock.LockException;
import io.quarkiverse.lock.runtime.config.LockRestConfig;
import io.quarkus.arc.Unremovable;

/** Makes the answers: RFC 9457, written by hand, since an application need not have anything that writes JSON. */
@Singleton
@Unremovable
public class Problems {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.lock.rest");
    private static final MediaType PROBLEM = new MediaType("application", "problem+json");

    /** Weaker than what an application has of its own. */
    static final int PRIORITY = 6000;

    private final LockRestConfig config;

    Problems(LockRestConfig config) {
        this.config = config;
    }

    Response busy(LockException failure) {
        return again(of(config.busyStatus(), "Locked", "What this request needs is in use; try again later", failure));
    }

    Response unavailable(LockException failure) {
        return again(of(config.unavailableStatus(), "Locks unavailable",
                "Whether what this request needs is in use cannot be found out at the moment; try again later", failure));
    }

    /** Not to be tried again just so: part of the work has been done. */
    Response lost(LockException failure) {
        return of(config.lostStatus(), "Lock lost",
                "This request no longer had for itself what it worked on; what it has done may be incomplete", failure).build();
    }

    private Response again(Response.ResponseBuilder answer) {
        Duration wait = config.retryAfter();
        long seconds = wait.getSeconds() + (wait.getNano() > 0 ? 1 : 0); // whole ones, rounded up
        return answer.header(HttpHeaders.RETRY_AFTER, seconds).build();
    }

    private Response.ResponseBuilder of(int status, String title, String detail, LockException failure) {
        LOG.debugf(failure, "Answered by %d", status);
        StringBuilder json = new StringBuilder("{\"type\":\"about:blank\",\"title\":").append(quoted(title))
                .append(",\"status\":").append(status)
                .append(",\"detail\":").append(quoted(config.details() ? failure.getMessage() : detail));
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
