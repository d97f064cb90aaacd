/** How one or several names are taken and given back: on a thread that waits, or without one. Internal to the engine. */
@NullMarked
package io.quarkiverse.lock.engine.acquire;

import org.jspecify.annotations.NullMarked;
