/** What callers, users and listeners are notified of: events, losses, and why a lock was refused. Internal to the engine. */
@NullMarked
package io.quarkiverse.lock.engine.news;

import org.jspecify.annotations.NullMarked;
