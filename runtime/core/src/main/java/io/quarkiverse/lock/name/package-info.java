/** How a lock's name is made from the arguments of a call. */
@NullMarked
package io.quarkiverse.lock.name;

import org.jspecify.annotations.NullMarked;
