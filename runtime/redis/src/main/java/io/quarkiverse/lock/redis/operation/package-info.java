/**
 * Operations on a grant or a name: renewal, release, inspection, release by force or on request. Internal: types are public
 * here only for the other packages of this module.
 */
@NullMarked
package io.quarkiverse.lock.redis.operation;

import org.jspecify.annotations.NullMarked;
