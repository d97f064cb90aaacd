/** How the name of a lock is made of the arguments of a call. */
@NullMarked
package io.quarkiverse.lock.runtime.name;

import org.jspecify.annotations.NullMarked;
