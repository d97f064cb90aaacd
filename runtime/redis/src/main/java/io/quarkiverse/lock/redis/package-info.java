/** Locks in Redis or Valkey. */
@NullMarked
package io.quarkiverse.lock.redis;

import org.jspecify.annotations.NullMarked;
