/** For tests of applications that use locks. */
@NullMarked
package io.quarkiverse.lock.test;

import org.jspecify.annotations.NullMarked;
