/** The showcase: a flash sale over several nodes, with the lock and without. */
@NullMarked
package io.quarkiverse.lock.sale;

import org.jspecify.annotations.NullMarked;
