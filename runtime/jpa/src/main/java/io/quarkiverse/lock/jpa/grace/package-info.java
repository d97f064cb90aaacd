/** The grace of a database that may have lost grants; internal. */
@NullMarked
package io.quarkiverse.lock.jpa.grace;

import org.jspecify.annotations.NullMarked;
