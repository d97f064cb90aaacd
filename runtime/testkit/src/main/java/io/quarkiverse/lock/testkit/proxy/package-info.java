/** A TCP proxy that fails on command. */
@NullMarked
package io.quarkiverse.lock.testkit.proxy;

import org.jspecify.annotations.NullMarked;
