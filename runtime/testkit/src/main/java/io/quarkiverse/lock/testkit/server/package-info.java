/** Servers as child processes, and the minimum that is needed to inspect them. */
@NullMarked
package io.quarkiverse.lock.testkit.server;

import org.jspecify.annotations.NullMarked;
