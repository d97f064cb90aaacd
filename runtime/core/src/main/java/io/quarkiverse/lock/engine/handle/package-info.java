/** The locks and handles of the API. Internal to the engine. */
@NullMarked
package io.quarkiverse.lock.engine.handle;

import org.jspecify.annotations.NullMarked;
