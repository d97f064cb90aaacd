/** What a backend implements, and listeners for all locks. */
@NullMarked
package io.quarkiverse.lock.spi;

import org.jspecify.annotations.NullMarked;
