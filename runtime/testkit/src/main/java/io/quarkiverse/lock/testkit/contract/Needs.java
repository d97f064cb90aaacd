package io.quarkiverse.lock.testkit.contract;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.quarkiverse.lock.spi.Feature;

/**
 * A test, or a whole group, that is skipped where the environment lacks an ability or its backend a feature; the skip must be
 * in the environment's list.
 */
@Inherited
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
public @interface Needs {

    Ability[] value() default {};

    Feature[] features() default {};
}
