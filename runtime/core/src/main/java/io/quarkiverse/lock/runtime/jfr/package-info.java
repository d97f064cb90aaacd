/** The events of locks in flight recordings of the JVM. No class of JFR is loaded before something else has loaded one. */
@NullMarked
package io.quarkiverse.lock.runtime.jfr;

import org.jspecify.annotations.NullMarked;
