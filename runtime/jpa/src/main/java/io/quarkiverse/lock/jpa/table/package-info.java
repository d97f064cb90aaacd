/** The rows of the lock tables and the statements on them; internal. */
@NullMarked
package io.quarkiverse.lock.jpa.table;

import org.jspecify.annotations.NullMarked;
