/**
 * Questions and requests about a name that need no claim: inspection, forced release, request for release. Internal: public
 * only for the other packages of this module.
 */
@NullMarked
package io.quarkiverse.lock.zookeeper.query;

import org.jspecify.annotations.NullMarked;
