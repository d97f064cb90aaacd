/** Measures locks side by side with other libraries, on Redis, ZooKeeper, PostgreSQL and MariaDB. Not part of a release. */
@org.jspecify.annotations.NullMarked
package io.quarkiverse.lock.benchmarks;
