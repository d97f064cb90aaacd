/**
 * Answers the Dev UI and the tools of Dev MCP, in dev mode only.
 * Internal: no other extension uses it.
 */
@NullMarked
package io.quarkiverse.lock.dev;

import org.jspecify.annotations.NullMarked;
