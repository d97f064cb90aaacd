/** The health of the lock stores, if a health extension is part of the application. */
@NullMarked
package io.quarkiverse.lock.runtime.health;

import org.jspecify.annotations.NullMarked;
