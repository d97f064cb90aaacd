package io.quarkiverse.lock.testkit.contract;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.quarkiverse.lock.spi.Feature;

/**
 * Skips a test, or a whole group, where the environment lacks an ability or its backend lacks a feature. The skip must be in
 * the environment's list.
 */
@Inherited
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
public @interface Needs {

    Ability[] value() default {};

    Feature[] features() default {};
}
