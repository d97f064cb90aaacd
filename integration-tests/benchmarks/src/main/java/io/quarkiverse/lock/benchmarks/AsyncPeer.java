package io.quarkiverse.lock.benchmarks;

/** A library that takes locks without blocking. */
interface AsyncPeer extends Peer {

    /** Takes and releases the lock of this name; {@code chain} hears of both. */
    void cycle(String name, Chain chain);

    /** What goes through one cycle after the other. */
    interface Chain {

        /** The lock is held; it is released when this returns. */
        void held();

        void released();

        void failed(Throwable cause);
    }
}
