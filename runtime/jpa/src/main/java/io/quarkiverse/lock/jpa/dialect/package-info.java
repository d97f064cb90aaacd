/** What the statements on leases need to know of each database; internal. */
@NullMarked
package io.quarkiverse.lock.jpa.dialect;

import org.jspecify.annotations.NullMarked;
