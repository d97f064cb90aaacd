/**
 * What this JVM holds: grants, their renewal, their loss, their release, and the nodes still to be deleted. Internal: public
 * only for the other packages of this module.
 */
@NullMarked
package io.quarkiverse.lock.zookeeper.grant;

import org.jspecify.annotations.NullMarked;
