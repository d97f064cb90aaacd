/** What lock clients saw, and whether it is possible: for any backend, and for several JVMs of one machine. */
@NullMarked
package io.quarkiverse.lock.testkit.history;

import org.jspecify.annotations.NullMarked;
