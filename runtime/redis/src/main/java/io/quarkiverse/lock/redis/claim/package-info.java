/**
 * Claims, from the first request to a grant or a withdrawal, and the registry of what this JVM has at the server. Internal:
 * types are public here only for the other packages of this module.
 */
@NullMarked
package io.quarkiverse.lock.redis.claim;

import org.jspecify.annotations.NullMarked;
