/** The lock managers of an application: its engines, from start to shutdown, and what they tell it. */
@NullMarked
package io.quarkiverse.lock.runtime.manager;

import org.jspecify.annotations.NullMarked;
