/** How the Redis backend becomes part of a Quarkus application. */
@NullMarked
package io.quarkiverse.lock.redis.runtime;

import org.jspecify.annotations.NullMarked;
