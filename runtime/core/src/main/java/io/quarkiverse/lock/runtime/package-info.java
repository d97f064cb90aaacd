/** What connects the engine to Quarkus: interceptors, configuration, beans. */
@NullMarked
package io.quarkiverse.lock.runtime;

import org.jspecify.annotations.NullMarked;
