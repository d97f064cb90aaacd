/**
 * The scripts that Redis runs, the calls that run them, and what their replies and failures mean. Internal: types are public
 * here only for the other packages of this module.
 */
@NullMarked
package io.quarkiverse.lock.redis.script;

import org.jspecify.annotations.NullMarked;
