/** What the lease statements need to know about each database; internal. */
@NullMarked
package io.quarkiverse.lock.jpa.dialect;

import org.jspecify.annotations.NullMarked;
