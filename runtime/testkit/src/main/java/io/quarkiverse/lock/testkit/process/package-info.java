/** Child processes that never outlive the test's JVM, and JVMs that are controlled line by line. */
@NullMarked
package io.quarkiverse.lock.testkit.process;

import org.jspecify.annotations.NullMarked;
