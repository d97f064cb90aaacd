package io.quarkiverse.lock.rest;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.annotation.Priority;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Priorities;

import org.eclipse.microprofile.rest.client.annotation.RegisterProvider;
import org.eclipse.microprofile.rest.client.inject.RegisterRestClient;
import org.eclipse.microprofile.rest.client.inject.RestClient;
import org.jboss.resteasy.reactive.client.spi.ResteasyReactiveClientRequestContext;
import org.jboss.resteasy.reactive.client.spi.ResteasyReactiveClientRequestFilter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.CurrentLock;
import io.quarkiverse.lock.LockManager;
import io.quarkus.test.QuarkusUnitTest;

/**
 * After a filter that suspends the request, for example to get an access token, filters run on another thread than
 * the caller's.
 */
class SuspendingFilterTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Client.class, Authenticating.class, Resource.class,
                    FencingTokenFilter.class)) // in the application, since its constructor is not public
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideConfigKey("quarkus.http.test-port", "0")
            .overrideConfigKey("quarkus.rest-client.suspended.url", "http://localhost:${quarkus.http.test-port}");

    @Inject
    @RestClient
    Client client;

    @Inject
    LockManager locks;

    @Inject
    CurrentLock current;

    @Test
    void fault513_tokensAreReadBeforeSuspendingFilter() throws Exception {
        locks.lock("stock-7").run(() -> assertThat(client.tokens())
                .isEqualTo(FencingTokenHeader.of(current.fencingTokens())).startsWith("stock-7="));
    }

    @RegisterRestClient(configKey = "suspended")
    @RegisterProvider(FencingTokenFilter.class)
    @RegisterProvider(Authenticating.class)
    @Path("tokens")
    public interface Client {

        @GET
        String tokens();
    }

    /** Suspends the request, as OIDC filters do. */
    @Priority(Priorities.AUTHENTICATION)
    public static class Authenticating implements ResteasyReactiveClientRequestFilter {

        @Override
        public void filter(ResteasyReactiveClientRequestContext request) {
            request.suspend();
            new Thread(request::resume).start();
        }
    }

    @Path("tokens")
    public static class Resource {

        @GET
        public String tokens(@HeaderParam(FencingTokenHeader.NAME) String tokens) {
            return tokens == null ? "none" : tokens;
        }
    }
}
