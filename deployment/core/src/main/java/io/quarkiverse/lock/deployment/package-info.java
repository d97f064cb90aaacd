/** The build of an application with locks: what the extensions of backends and others produce and consume. */
@NullMarked
package io.quarkiverse.lock.deployment;

import org.jspecify.annotations.NullMarked;
