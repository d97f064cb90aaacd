/**
 * The name of a lock as written in {@code @Locked}: its template is checked against the method and compiled.
 * Internal: no other extension uses it.
 */
@NullMarked
package io.quarkiverse.lock.deployment.name;

import org.jspecify.annotations.NullMarked;
