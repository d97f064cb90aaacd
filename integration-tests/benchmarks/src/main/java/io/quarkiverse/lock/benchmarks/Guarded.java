package io.quarkiverse.lock.benchmarks;

/** What a lock protects: without exclusion counts are lost, as nothing else keeps two threads apart. */
interface Guarded {

    /** Counts one; returns whether another JVM counted before. */
    boolean touch();

    long count();

    /** Inside one JVM. */
    static Guarded local() {
        return new Guarded() {

            private long count;

            @Override
            public boolean touch() {
                count++;
                return false;
            }

            @Override
            public long count() {
                return count;
            }
        };
    }
}
