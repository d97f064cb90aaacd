package io.quarkiverse.lock.runtime.management;

import org.jboss.logging.Logger;

import io.netty.handler.codec.http.HttpResponseStatus;
import io.quarkiverse.lock.LockException;
import io.quarkiverse.lock.engine.news.ClosingException;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.HttpException;

/** The answer to an operator. */
record Reply(int status, String contentType, String body) {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.lock");

    static Reply json(JsonObject body) {
        return new Reply(200, "application/json", JsonText.escaped(body.encodePrettily()) + "\n");
    }

    static Reply html(String page) {
        return new Reply(200, "text/html; charset=utf-8", page);
    }

    static Reply problem(int status, String detail) {
        return new Reply(status, "application/problem+json", JsonText.escaped(new JsonObject()
                .put("status", status)
                .put("title", HttpResponseStatus.valueOf(status).reasonPhrase())
                .put("detail", detail).encodePrettily()) + "\n");
    }

    /** Describes the failure in words: a stack trace is of no use to an operator. */
    static Reply of(Throwable failure) {
        if (failure instanceof RefusedException refused) {
            return problem(refused.status(), refused.getMessage());
        }
        if (failure instanceof HttpException unreadable) { // from the server, such as for '%' without digits after it
            return problem(unreadable.getStatusCode(), "The request cannot be read");
        }
        if (failure instanceof IllegalArgumentException) {
            return problem(400, failure.getMessage());
        }
        if (failure instanceof UnableException) {
            return problem(501, failure.getMessage());
        }
        if (failure instanceof LockException || failure instanceof ClosingException) {
            return problem(503, failure.getMessage());
        }
        LOG.error("An operator's request about locks failed", failure);
        return problem(500, "The request failed; the log says why");
    }

    void send(RoutingContext request) {
        HttpServerResponse response = request.response();
        if (response.ended() || response.closed()) {
            return;
        }
        response.setStatusCode(status)
                .putHeader(HttpHeaders.CONTENT_TYPE, contentType)
                .putHeader(HttpHeaders.CACHE_CONTROL, "no-store")
                .putHeader(HttpHeaders.VARY, HttpHeaders.ACCEPT)
                .putHeader("X-Content-Type-Options", "nosniff")
                .putHeader("Content-Security-Policy", LockPages.CONTENT_SECURITY_POLICY);
        if (request.request().method() == HttpMethod.HEAD) { // with HTTP/2 the server does not take care of it
            response.end();
        } else {
            response.end(body);
        }
    }
}
