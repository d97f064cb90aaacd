package io.quarkiverse.lock.testkit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The numbers of the fault list that a test covers. The test's name begins with one of them, {@code fault07_...}, so that it
 * can be selected with {@code -Dtest='*#fault07*'}. {@link io.quarkiverse.lock.testkit.faults.FaultNumbersContract} reports a
 * number that no test covers.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Fault {

    int[] value();
}
