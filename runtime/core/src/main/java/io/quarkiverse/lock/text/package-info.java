/** How texts of foreign origin are written into messages. */
@NullMarked
package io.quarkiverse.lock.text;

import org.jspecify.annotations.NullMarked;
