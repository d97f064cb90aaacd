/**
 * Makes a {@link io.quarkiverse.lock.spi.LockBackend} of a store without a queue: implement
 * {@link io.quarkiverse.lock.spi.support.LockStore} and hand it to a {@link io.quarkiverse.lock.spi.support.StoreLockBackend}.
 * And what backends with a queue of their own share.
 */
@NullMarked
package io.quarkiverse.lock.spi.support;

import org.jspecify.annotations.NullMarked;
