/** Notifications of callers, users and listeners: events, losses, and reasons of refusals. Internal to the engine. */
@NullMarked
package io.quarkiverse.lock.engine.news;

import org.jspecify.annotations.NullMarked;
