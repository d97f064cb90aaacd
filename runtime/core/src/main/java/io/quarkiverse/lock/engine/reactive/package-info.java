/** Bodies that end later: a Uni, a Multi or a CompletionStage under a lock. Internal to the engine. */
@NullMarked
package io.quarkiverse.lock.engine.reactive;

import org.jspecify.annotations.NullMarked;
