/** Locks in the application's own relational database. */
@NullMarked
package io.quarkiverse.lock.jpa;

import org.jspecify.annotations.NullMarked;
