/** What can be asked and changed of a lock that is held. Internal to the engine. */
@NullMarked
package io.quarkiverse.lock.engine.lease;

import org.jspecify.annotations.NullMarked;
