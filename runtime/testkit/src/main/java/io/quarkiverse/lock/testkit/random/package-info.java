/** Lock clients that do everything possible, at random, and record what they see. */
@NullMarked
package io.quarkiverse.lock.testkit.random;

import org.jspecify.annotations.NullMarked;
