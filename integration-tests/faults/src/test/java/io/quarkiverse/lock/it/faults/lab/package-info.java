/** The fault laboratory: several JVMs that take locks of one store, and a nemesis that does to all of them what it can. */
@NullMarked
package io.quarkiverse.lock.it.faults.lab;

import org.jspecify.annotations.NullMarked;
