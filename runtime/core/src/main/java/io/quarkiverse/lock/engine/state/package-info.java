/**
 * What the engine knows of names, holds and leases: data with its own rules, which calls no other package of the engine.
 * Internal to the engine.
 */
@NullMarked
package io.quarkiverse.lock.engine.state;

import org.jspecify.annotations.NullMarked;
