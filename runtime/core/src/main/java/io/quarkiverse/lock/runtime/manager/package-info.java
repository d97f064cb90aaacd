/** The lock managers of an application: its engines, from start to shutdown, and their notifications. */
@NullMarked
package io.quarkiverse.lock.runtime.manager;

import org.jspecify.annotations.NullMarked;
