/** How what others have chosen is written into messages. */
@NullMarked
package io.quarkiverse.lock.text;

import org.jspecify.annotations.NullMarked;
