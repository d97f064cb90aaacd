/** Callers that wait for each other: those that might, and those that do. Internal to the engine. */
@NullMarked
package io.quarkiverse.lock.engine.deadlock;

import org.jspecify.annotations.NullMarked;
