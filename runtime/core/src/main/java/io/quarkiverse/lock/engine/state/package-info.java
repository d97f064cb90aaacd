/**
 * What the engine knows of names, holds and leases: data with their own rules, which calls none of the other rooms.
 * Internal to the engine.
 */
@NullMarked
package io.quarkiverse.lock.engine.state;

import org.jspecify.annotations.NullMarked;
