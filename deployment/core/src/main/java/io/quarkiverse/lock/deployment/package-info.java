/** The build of an application with locks: backends, beans, and the {@code @Locked} methods. */
@NullMarked
package io.quarkiverse.lock.deployment;

import org.jspecify.annotations.NullMarked;
