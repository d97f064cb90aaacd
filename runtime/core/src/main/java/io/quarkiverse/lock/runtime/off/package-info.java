/** Locks where locking is switched off. */
@NullMarked
package io.quarkiverse.lock.runtime.off;

import org.jspecify.annotations.NullMarked;
