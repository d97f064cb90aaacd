/** The lock engine: queues, holds, renewal and hand-over, the same for every backend and free of any framework. */
@NullMarked
package io.quarkiverse.lock.engine;

import org.jspecify.annotations.NullMarked;
