/** The fault laboratory: several JVMs that take locks of one store, and a nemesis that does everything it can to them. */
@NullMarked
package io.quarkiverse.lock.it.faults.lab;

import org.jspecify.annotations.NullMarked;
