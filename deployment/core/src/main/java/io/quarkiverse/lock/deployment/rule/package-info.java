/**
 * What the build refuses, and what it warns about.
 * Internal: no other extension uses it.
 */
@NullMarked
package io.quarkiverse.lock.deployment.rule;

import org.jspecify.annotations.NullMarked;
