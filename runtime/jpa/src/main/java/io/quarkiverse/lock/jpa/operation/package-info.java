/** What is done to grants and names besides claiming them; internal. */
@NullMarked
package io.quarkiverse.lock.jpa.operation;

import org.jspecify.annotations.NullMarked;
