/** What a backend implements, and what watches the locks. */
@NullMarked
package io.quarkiverse.lock.spi;

import org.jspecify.annotations.NullMarked;
