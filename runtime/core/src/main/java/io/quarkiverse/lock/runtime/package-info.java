/** Connects the engine to Quarkus: what is recorded at build time starts here. */
@NullMarked
package io.quarkiverse.lock.runtime;

import org.jspecify.annotations.NullMarked;
