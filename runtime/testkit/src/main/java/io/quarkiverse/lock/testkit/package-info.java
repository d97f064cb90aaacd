/** What a backend's tests need besides the {@linkplain io.quarkiverse.lock.testkit.contract contract suite}. */
@NullMarked
package io.quarkiverse.lock.testkit;

import org.jspecify.annotations.NullMarked;
