/** Checks and creates the lock tables; internal. */
@NullMarked
package io.quarkiverse.lock.jpa.schema;

import org.jspecify.annotations.NullMarked;
