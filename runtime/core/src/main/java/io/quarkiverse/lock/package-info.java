/**
 * What applications use: {@link io.quarkiverse.lock.Locked}, {@link io.quarkiverse.lock.LockManager} and what they hand out.
 */
@NullMarked
package io.quarkiverse.lock;

import org.jspecify.annotations.NullMarked;
