/** The in-JVM backend, and a clock that tests advance by hand. */
@NullMarked
package io.quarkiverse.lock.local;

import org.jspecify.annotations.NullMarked;
