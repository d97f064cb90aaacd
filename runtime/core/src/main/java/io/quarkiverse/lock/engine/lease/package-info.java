/** What can be asked about a held lock, and changed. Internal to the engine. */
@NullMarked
package io.quarkiverse.lock.engine.lease;

import org.jspecify.annotations.NullMarked;
