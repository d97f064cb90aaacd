/** Servers as child processes, and the least that is needed to look into them. */
@NullMarked
package io.quarkiverse.lock.testkit.server;

import org.jspecify.annotations.NullMarked;
