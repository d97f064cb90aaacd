/** Offers the Redis backend to the application's build. */
@NullMarked
package io.quarkiverse.lock.redis.deployment;

import org.jspecify.annotations.NullMarked;
