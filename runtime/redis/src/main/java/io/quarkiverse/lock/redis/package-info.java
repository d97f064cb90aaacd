/** Locks in Redis or Valkey: the backend, which wires what the packages below it do. Internal, like all of it. */
@NullMarked
package io.quarkiverse.lock.redis;

import org.jspecify.annotations.NullMarked;
