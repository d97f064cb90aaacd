/** Build-time part of the JPA backend. */
@NullMarked
package io.quarkiverse.lock.jpa.deployment;

import org.jspecify.annotations.NullMarked;
