/** What operators see and change over HTTP, if the endpoint is enabled; otherwise nothing of it is loaded. */
@NullMarked
package io.quarkiverse.lock.runtime.management;

import org.jspecify.annotations.NullMarked;
