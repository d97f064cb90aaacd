/**
 * The API for applications: {@link io.quarkiverse.lock.Locked}, {@link io.quarkiverse.lock.LockManager} and what they return.
 */
@NullMarked
package io.quarkiverse.lock;

import org.jspecify.annotations.NullMarked;
