/** What clients of locks saw, and whether it can be so: for any backend, and for several JVMs of one machine. */
@NullMarked
package io.quarkiverse.lock.testkit.history;

import org.jspecify.annotations.NullMarked;
