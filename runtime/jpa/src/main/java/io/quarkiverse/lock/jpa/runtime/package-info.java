/** How the JPA backend becomes part of a Quarkus application. */
@NullMarked
package io.quarkiverse.lock.jpa.runtime;

import org.jspecify.annotations.NullMarked;
