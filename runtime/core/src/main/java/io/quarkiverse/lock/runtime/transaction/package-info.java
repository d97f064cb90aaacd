/** The transaction around a call, if there is one: what a lock has to outlast. */
@NullMarked
package io.quarkiverse.lock.runtime.transaction;

import org.jspecify.annotations.NullMarked;
