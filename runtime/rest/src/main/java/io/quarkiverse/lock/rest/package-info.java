/** Fencing tokens in requests, and what is answered when a lock fails. */
@NullMarked
package io.quarkiverse.lock.rest;

import org.jspecify.annotations.NullMarked;
