/** A call of a method with {@code @Locked}: the interceptors, and one way to lock for each kind of return type. */
@NullMarked
package io.quarkiverse.lock.runtime.call;

import org.jspecify.annotations.NullMarked;
