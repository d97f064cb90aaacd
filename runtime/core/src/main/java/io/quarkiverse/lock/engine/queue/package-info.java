/**
 * How a name passes from holder to holder: admission, claims and their answers, hand-over, renewal, release and loss. Internal
 * to the engine.
 */
@NullMarked
package io.quarkiverse.lock.engine.queue;

import org.jspecify.annotations.NullMarked;
