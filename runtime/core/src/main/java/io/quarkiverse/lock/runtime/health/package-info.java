/** Whether the stores of locks are well, where a health extension is part of the application. */
@NullMarked
package io.quarkiverse.lock.runtime.health;

import org.jspecify.annotations.NullMarked;
