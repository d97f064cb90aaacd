/** What each method with {@code @Locked} asks for, from its annotation and its configuration. */
@NullMarked
package io.quarkiverse.lock.runtime.method;

import org.jspecify.annotations.NullMarked;
