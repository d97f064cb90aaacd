package io.quarkiverse.lock.benchmarks;

/** A library that takes locks without blocking. */
interface AsyncPeer extends Peer {

    /** Takes and releases the lock of this name, and reports both to {@code chain}. */
    void cycle(String name, Chain chain);

    /** A sequence of cycles. */
    interface Chain {

        /** The lock is held; it is released when this returns. */
        void held();

        void released();

        void failed(Throwable cause);
    }
}
