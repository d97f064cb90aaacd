package io.quarkiverse.lock.it.faults.lab;

import java.time.Duration;
import java.util.Map;

import io.quarkiverse.lock.testkit.faults.ChildBackend;

/** A store that is watched while it is used for long. */
interface SoakStore extends AutoCloseable {

    /** How long an operation may take: a busy machine is not what is looked for. */
    Duration OPERATION = Duration.ofSeconds(10);

    String name();

    /** The backend of all JVMs. */
    ChildBackend.Spec backend();

    /** How long after its last use a name may leave something in the store. */
    Duration memory();

    /** What names leave: it may be as many as there were names lately, and is nothing when none is used any more. */
    Map<String, Long> leftovers();

    /** What else is to stay as it is, such as connections. */
    Map<String, Long> steady();

    /** What is shown and not judged, such as bytes of memory. */
    Map<String, Long> shown();

    @Override
    void close();
}
