/**
 * What is said of a failure, and which failures may be repeated. Internal: public only for the other packages of this module.
 */
@NullMarked
package io.quarkiverse.lock.zookeeper.errors;

import org.jspecify.annotations.NullMarked;
