/** What failures say, and which of them may be repeated. Internal: public only for the other packages of this module. */
@NullMarked
package io.quarkiverse.lock.zookeeper.errors;

import org.jspecify.annotations.NullMarked;
