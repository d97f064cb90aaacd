package io.quarkiverse.lock.testkit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

/**
 * Skipped by a plain {@code mvn verify}, where another test checks much the same in less time. Runs wherever
 * {@code -Dlock.test.full=true} is given, as {@code .ci/run} does, and where the property is not set at all, as in an IDE.
 */
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@DisabledIfSystemProperty(named = "lock.test.full", matches = "false", disabledReason = "-Dlock.test.full=true runs it")
public @interface FullBuild {
}
