/**
 * What the build knows about classes: the names of types, what type variables stand for, the parameters of a method.
 * Internal: no other extension uses it.
 */
@NullMarked
package io.quarkiverse.lock.deployment.index;

import org.jspecify.annotations.NullMarked;
