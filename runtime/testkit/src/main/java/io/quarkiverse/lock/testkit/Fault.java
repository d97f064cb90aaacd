package io.quarkiverse.lock.testkit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Which numbers of the fault list a test bears. Its name begins with one of them, {@code fault07_...}, so that it can be called
 * by it: {@code -Dtest='*#fault07*'}. {@link io.quarkiverse.lock.testkit.faults.FaultNumbersContract} finds a number that no
 * test bears.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Fault {

    int[] value();
}
