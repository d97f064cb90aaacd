/** Connections, worker threads, time bounds and errors of the database; internal. */
@NullMarked
package io.quarkiverse.lock.jpa.database;

import org.jspecify.annotations.NullMarked;
