/** What an application configures, and what is wrong with it. */
@NullMarked
package io.quarkiverse.lock.runtime.config;

import org.jspecify.annotations.NullMarked;
