/** How a claim is queued, granted and withdrawn; internal. */
@NullMarked
package io.quarkiverse.lock.jpa.claim;

import org.jspecify.annotations.NullMarked;
