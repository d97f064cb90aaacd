/** Lock events in flight recordings of the JVM. No JFR class is loaded before something else has loaded one. */
@NullMarked
package io.quarkiverse.lock.runtime.jfr;

import org.jspecify.annotations.NullMarked;
