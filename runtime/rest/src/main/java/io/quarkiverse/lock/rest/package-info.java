/** Fencing tokens in requests. */
@NullMarked
package io.quarkiverse.lock.rest;

import org.jspecify.annotations.NullMarked;
