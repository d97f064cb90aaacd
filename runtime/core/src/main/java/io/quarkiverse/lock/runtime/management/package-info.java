/** What operators see and change over HTTP, where the endpoint is enabled: nothing of it is loaded elsewhere. */
@NullMarked
package io.quarkiverse.lock.runtime.management;

import org.jspecify.annotations.NullMarked;
