package io.quarkiverse.lock;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import jakarta.enterprise.util.AnnotationLiteral;
import jakarta.inject.Qualifier;

/**
 * Picks a {@link LockManager} by the name under which it is configured ({@code quarkus.lock.managers.<name>.*}).
 *
 * <pre>{@code
 * @Inject
 * @LockManagerName("orders")
 * LockManager locks;
 * }</pre>
 */
@Qualifier
@Target({ ElementType.FIELD, ElementType.PARAMETER, ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
public @interface LockManagerName {

    /** The manager's name. */
    String value();

    /** For programmatic look-up. */
    final class Literal extends AnnotationLiteral<LockManagerName> implements LockManagerName {

        private static final long serialVersionUID = 1L;

        private final String value;

        private Literal(String value) {
            this.value = value;
        }

        public static Literal of(String value) {
            return new Literal(value);
        }

        @Override
        public String value() {
            return value;
        }
    }
}
