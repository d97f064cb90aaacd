package io.quarkiverse.lock.it.faults.lab;

import java.time.Duration;
import java.util.Map;

import io.quarkiverse.lock.testkit.faults.ChildBackend;

/** A store that is watched during a long run. */
interface SoakStore extends AutoCloseable {

    /** The timeout of an operation: a busy machine is not what the run looks for. */
    Duration OPERATION = Duration.ofSeconds(10);

    String name();

    /** The backend of all JVMs. */
    ChildBackend.Spec backend();

    /** How long after its last use a name may leave something in the store. */
    Duration memory();

    /** What names leave behind: at most one for each name used lately, and nothing once none is used any more. */
    Map<String, Long> leftovers();

    /** What else must stay constant, such as connections. */
    Map<String, Long> steady();

    /** What is shown but not judged, such as bytes of memory. */
    Map<String, Long> shown();

    @Override
    void close();
}
