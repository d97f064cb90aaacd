package io.quarkiverse.lock.testkit.process;

/**
 * Something that happened in a {@link ChildJvm}.
 *
 * @param text what happened
 * @param nanos when, on the child's {@link System#nanoTime}; comparable between the JVMs of one machine
 */
public record ChildEvent(String text, long nanos) {
}
