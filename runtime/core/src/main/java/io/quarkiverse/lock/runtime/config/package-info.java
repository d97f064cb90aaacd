/** What an application configures, and checks of it. */
@NullMarked
package io.quarkiverse.lock.runtime.config;

import org.jspecify.annotations.NullMarked;
