/** Bodies under a lock that end later: a Uni, a Multi, a CompletionStage. Internal to the engine. */
@NullMarked
package io.quarkiverse.lock.engine.reactive;

import org.jspecify.annotations.NullMarked;
