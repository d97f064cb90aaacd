package io.quarkiverse.lock.engine;

import java.lang.ref.Cleaner;
import java.util.concurrent.locks.ReentrantLock;

import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.PrintableName;

/** Releases locks whose handles became unreachable, so that a programming error does not hold a lock for ever. */
final class ForgottenHandles {

    private static final Logger LOG = Logger.getLogger(ForgottenHandles.class);

    private final ReentrantLock making = new ReentrantLock();
    private volatile @Nullable Cleaner cleaner;

    Watch watch(Object handle, Hold hold) {
        Watch watch = new Watch(hold);
        watch.cleanable = cleaner().register(handle, watch);
        return watch;
    }

    private Cleaner cleaner() {
        Cleaner known = cleaner;
        if (known == null) {
            making.lock();
            try {
                known = cleaner;
                if (known == null) {
                    known = Cleaner.create();
                    cleaner = known;
                }
            } finally {
                making.unlock();
            }
        }
        return known;
    }

    /** Knows the hold but not the handle. */
    static final class Watch implements Runnable {

        private final Hold hold;
        private Cleaner.@Nullable Cleanable cleanable;
        private volatile boolean released;

        Watch(Hold hold) {
            this.hold = hold;
        }

        void released() {
            released = true;
            cleanable.clean();
        }

        @Override
        public void run() {
            if (!released && hold.live()) {
                LOG.warnf("The handle of lock '%s', fencing token %d, was dropped without a release; releasing it now",
                        PrintableName.of(hold.name()), hold.fencingToken());
                hold.engine().time().schedule(0, hold::leave); // the Cleaner's thread is not for what a release may do
            }
        }
    }
}
