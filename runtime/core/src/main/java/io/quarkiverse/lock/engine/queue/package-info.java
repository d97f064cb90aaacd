/**
 * How a name goes from one to the next: admission, claims and their answers, hand-over, renewal, release and loss.
 * Internal to the engine.
 */
@NullMarked
package io.quarkiverse.lock.engine.queue;

import org.jspecify.annotations.NullMarked;
