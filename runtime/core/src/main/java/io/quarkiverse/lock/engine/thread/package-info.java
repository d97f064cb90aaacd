/** Threads of callers, and locks that belong to threads as those of the JDK do. Internal to the engine. */
@NullMarked
package io.quarkiverse.lock.engine.thread;

import org.jspecify.annotations.NullMarked;
