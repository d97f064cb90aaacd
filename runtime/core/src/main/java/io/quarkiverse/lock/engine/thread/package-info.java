/** Callers' threads, and locks that belong to threads, as the JDK's locks do. Internal to the engine. */
@NullMarked
package io.quarkiverse.lock.engine.thread;

import org.jspecify.annotations.NullMarked;
