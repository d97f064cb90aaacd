package io.quarkiverse.lock.it.order;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import jakarta.annotation.Priority;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The numbers in the guide's table are those of the interceptors. They determine the order. */
class PrioritiesTest {

    private static final Path PAGE = Path.of("../../docs/modules/ROOT/pages/order.adoc");

    @ParameterizedTest
    @CsvSource({
            "@CacheResult, 0 to 2, io.quarkus.cache.runtime.CacheResultInterceptor, 2",
            "@CacheInvalidate, 0 to 2, io.quarkus.cache.runtime.CacheInvalidateInterceptor, 1",
            "@CacheInvalidate, 0 to 2, io.quarkus.cache.runtime.CacheInvalidateAllInterceptor, 0",
            "@ActivateRequestContext, 100, io.quarkus.arc.impl.ActivateRequestContextInterceptor, 100",
            "@RolesAllowed, 150, io.quarkus.security.runtime.interceptor.RolesAllowedInterceptor, 150",
            "@Authenticated, 150, io.quarkus.security.runtime.interceptor.AuthenticatedInterceptor, 150",
            "*`@Locked`*, 160, io.quarkiverse.lock.runtime.call.LockedInterceptor, 160",
            "@Transactional, 200, io.quarkus.narayana.jta.runtime.interceptor.TransactionalInterceptorRequired, 200",
            "'Fault tolerance, by default', 4010, io.smallrye.faulttolerance.FaultToleranceInterceptor, 4010",
            "Constraints on the result, 4800, io.quarkus.hibernate.validator.runtime.interceptor.MethodValidationInterceptor, 4800",
    })
    void areThoseOfTheTable(String annotation, String inTheGuide, String interceptor, int priority) throws Exception {
        Class<?> type = Class.forName(interceptor, false, getClass().getClassLoader());
        assertThat(type.getAnnotation(Priority.class).value()).isEqualTo(priority);
        assertThat(inTable(annotation)).isEqualTo(inTheGuide);
    }

    private static String inTable(String annotation) throws IOException {
        Matcher row = Pattern.compile("(?m)^\\|.*" + Pattern.quote(annotation) + ".*\n\\|(.*)$")
                .matcher(Files.readString(PAGE));
        assertThat(row.find()).as("a row of %s", annotation).isTrue();
        return row.group(1);
    }
}
