/** The showcase: a flash sale over several nodes, with and without the lock. */
@NullMarked
package io.quarkiverse.lock.sale;

import org.jspecify.annotations.NullMarked;
