package io.quarkiverse.lock.it;

import io.smallrye.mutiny.Uni;

/** Numbers that are read and written one by one, in the store of the application's backend. Unwritten ones are 0. */
public interface Counts {

    long read(String id);

    void write(String id, long count);

    /** Does not block. */
    Uni<Long> readLater(String id);

    /** Does not block. */
    Uni<Void> writeLater(String id, long count);
}
