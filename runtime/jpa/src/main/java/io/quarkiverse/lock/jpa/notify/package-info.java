/** Notifications between JVMs through PostgreSQL; internal. */
@NullMarked
package io.quarkiverse.lock.jpa.notify;

import org.jspecify.annotations.NullMarked;
