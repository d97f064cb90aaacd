package io.quarkiverse.lock.testkit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

/**
 * Not run by {@code mvn verify} alone, where another test makes sure of much the same in less time, but wherever
 * {@code -Dlock.test.full=true} is given, as {@code .ci/run} does, and where nobody has decided, as in an IDE.
 */
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@DisabledIfSystemProperty(named = "lock.test.full", matches = "false", disabledReason = "-Dlock.test.full=true runs it")
public @interface FullBuild {
}
