/**
 * Turns a store without a queue into a {@link io.quarkiverse.lock.spi.LockBackend}: implement
 * {@link io.quarkiverse.lock.spi.support.LockStore} and pass it to a {@link io.quarkiverse.lock.spi.support.StoreLockBackend}.
 * Also contains what backends with their own queue share.
 */
@NullMarked
package io.quarkiverse.lock.spi.support;

import org.jspecify.annotations.NullMarked;
