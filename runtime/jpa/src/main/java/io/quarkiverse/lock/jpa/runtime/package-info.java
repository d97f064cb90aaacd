/** The integration of the JPA backend into a Quarkus application. */
@NullMarked
package io.quarkiverse.lock.jpa.runtime;

import org.jspecify.annotations.NullMarked;
