/** Operations on grants and names other than claiming; internal. */
@NullMarked
package io.quarkiverse.lock.jpa.operation;

import org.jspecify.annotations.NullMarked;
