/** Connects the engine to Quarkus: the steps recorded at build time start here. */
@NullMarked
package io.quarkiverse.lock.runtime;

import org.jspecify.annotations.NullMarked;
