/**
 * Questions and requests about names that need no claim: inspection, lists, forced release, release request. Internal: public
 * only for the other packages of this module.
 */
@NullMarked
package io.quarkiverse.lock.zookeeper.query;

import org.jspecify.annotations.NullMarked;
