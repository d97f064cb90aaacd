/** Callers that wait for each other: who may come to, and who does. Internal to the engine. */
@NullMarked
package io.quarkiverse.lock.engine.deadlock;

import org.jspecify.annotations.NullMarked;
