package io.quarkiverse.lock.engine.queue;

import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.state.ClaimAttempt;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.state.NameQueue;
import io.quarkiverse.lock.engine.state.TryHold;
import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockTime;

/** Claims names at the backend: for the first in line, unless a claim is under way, or for a hold outside the line. */
public final class Claims {

    private final LockBackend backend;
    private final LockTime time;
    private final NameTable names;
    private final Tokens tokens;
    private final long afterLossNanos;
    private ClaimAnswers answers;
    private volatile boolean paused;
    /** Also while {@link #resume} has not yet claimed again for everybody. */
    private volatile boolean owing;
    /** Outside the lines, and without a claim until {@link #resume}. */
    private final Queue<TryHold> heldBack = new ConcurrentLinkedQueue<>();

    /** @param afterLossNanos how much longer the backend keeps a grant that is not released */
    public Claims(LockBackend backend, LockTime time, NameTable names, Tokens tokens, long afterLossNanos) {
        this.backend = backend;
        this.time = time;
        this.names = names;
        this.tokens = tokens;
        this.afterLossNanos = afterLossNanos;
    }

    /** Called once, before the first claim. An answer may lead to the next claim, so the two know each other. */
    public void answeredBy(ClaimAnswers answers) {
        this.answers = answers;
    }

    public Claim make(String name, HoldSettings settings) {
        if (tokens.counted) {
            return make(name, 0, tokens.count.incrementAndGet(), settings);
        }
        byte[] token = new byte[Tokens.BYTES];
        tokens.draw(token);
        ByteBuffer halves = ByteBuffer.wrap(token);
        return make(name, halves.getLong(), halves.getLong(), settings);
    }

    private Claim make(String name, long tokenHigh, long tokenLow, HoldSettings settings) {
        return new Claim(name, tokenHigh, tokenLow, settings.mode(), settings.limit(),
                settings.firstLeaseNanos() + afterLossNanos, settings.waitNanos() != 0);
    }

    /**
     * Under the guard. {@code null} if nobody waits, a claim is already under way, the name is ours alone, or claims are
     * paused.
     */
    @Nullable
    public ClaimAttempt forFirst(NameQueue queue) {
        LockHold first = queue.firstWaiting();
        if (first == null || queue.attempt != null || queue.heldAlone() || paused) {
            return null;
        }
        queue.attempt = new FirstClaim(queue, first);
        return queue.attempt;
    }

    /** Under the guard, for a hold outside the line. {@code null} if claims are paused. */
    @Nullable
    ClaimAttempt forAlone(TryHold hold) {
        hold.queue.addAlone(hold);
        if (paused) {
            heldBack.add(hold);
            return null;
        }
        hold.attempt = new TryClaim(hold);
        return hold.attempt;
    }

    /** Call it when the guard is free. */
    public void startOrRest(NameQueue queue, @Nullable ClaimAttempt toStart) {
        if (toStart != null) {
            toStart.start(backend);
        } else {
            names.idle(queue);
        }
    }

    /**
     * Starts it once the kept grant has gone back: until then, the backend would find the name taken, by this very JVM.
     *
     * @param leaving what {@link NameQueue#leaving} was when the claim was made
     */
    void startAfter(@Nullable CompletableFuture<@Nullable Void> leaving, ClaimAttempt toStart) {
        if (leaving == null) {
            toStart.start(backend);
        } else {
            toStart.startedByAnotherThread();
            leaving.whenComplete((nothing, failure) -> toStart.start(backend));
        }
    }

    // --- checkpoints of the process

    /** Whether somebody may still wait who could not claim during the pause. */
    boolean owing() {
        return owing;
    }

    /** Whether nothing is claimed until {@link #resume}. */
    public boolean paused() {
        return paused;
    }

    /**
     * Withdraws all claims, and makes none until {@link #resume}; their callers go on waiting. The token of a claim made before
     * a checkpoint is in each process restored from it, and all of them would be granted what it asks for.
     */
    public void pause() {
        owing = true;
        paused = true; // first: whoever makes a claim now already waits, and is seen below
        for (NameQueue queue : names.all()) {
            queue.allWaiting().forEach(this::withdrawClaimOf);
        }
    }

    private void withdrawClaimOf(LockHold waiting) {
        NameQueue queue = waiting.queue;
        ClaimAttempt toWithdraw;
        queue.lock();
        try {
            if (!(waiting instanceof TryHold alone)) {
                toWithdraw = queue.attempt;
                queue.attempt = null;
            } else if (alone.waiting()) {
                toWithdraw = alone.attempt;
                alone.attempt = null;
                if (toWithdraw != null) {
                    heldBack.add(alone);
                }
            } else {
                toWithdraw = null; // answered meanwhile: a grant may be in use
            }
        } finally {
            queue.unlock();
        }
        if (toWithdraw != null) {
            toWithdraw.withdraw();
        }
    }

    /** Claims for those who wait now, under tokens that no other copy of this process has. */
    public void resume() {
        paused = false; // first: whoever was still held back is in a queue that is looked at below
        try {
            for (NameQueue queue : names.all()) {
                claimAgain(queue, null);
            }
            for (TryHold hold = heldBack.poll(); hold != null; hold = heldBack.poll()) {
                claimAgain(hold.queue, hold);
            }
        } finally {
            owing = false;
        }
    }

    /** A hold outside the lines that is held back, which is no longer so; {@code null} if there is none. */
    public @Nullable TryHold nextHeldBack() {
        return heldBack.poll();
    }

    /** @param alone a hold outside the line; {@code null} for the first in line */
    private void claimAgain(NameQueue queue, @Nullable TryHold alone) {
        ClaimAttempt toStart = null;
        CompletableFuture<@Nullable Void> leaving;
        queue.lock();
        try {
            if (alone == null) {
                toStart = forFirst(queue);
            } else if (alone.waiting()) {
                toStart = new TryClaim(alone);
                alone.attempt = toStart;
            }
            leaving = queue.leaving();
        } finally {
            queue.unlock();
        }
        if (toStart != null) {
            startAfter(leaving, toStart);
        }
    }

    /** Closes the random device until the next claim. */
    public void close() {
        tokens.close();
    }

    /** A claim for the hold that is first in the name's queue when the answer arrives, whatever hold that is. */
    private final class FirstClaim extends ClaimAttempt {

        private final NameQueue queue;

        /** @param first the hold that is first in line now */
        FirstClaim(NameQueue queue, LockHold first) {
            super(make(queue.name, first.settings), time, first.waitsHereFor(backend.operationTimeout()));
            this.queue = queue;
        }

        @Override
        public void onItem(Answer answer) {
            answers.answered(queue, this, answer);
        }

        @Override
        public void onFailure(Throwable failure) {
            answers.failed(queue, this, failure);
        }
    }

    /** A claim for one hold only. */
    private final class TryClaim extends ClaimAttempt {

        private final TryHold hold;

        TryClaim(TryHold hold) {
            super(make(hold.name(), hold.settings), time, hold.waitsHereFor(backend.operationTimeout()));
            this.hold = hold;
        }

        @Override
        public void onItem(Answer answer) {
            answers.answeredAlone(hold, this, answer);
        }

        @Override
        public void onFailure(Throwable failure) {
            answers.failedAlone(hold, this, failure);
        }
    }

    /**
     * Each claim has its own token. For a shared store it is read from the operating system each time. A JDK generator keeps
     * its state, or bits it has read ahead, in this process: copies of a running process (CRaC, SnapStart, a cloned machine)
     * would draw the same tokens. A store inside this process is copied along with it, so counting is enough there.
     */
    public static final class Tokens {

        private static final int BYTES = 16;
        private static final String DEVICE = "/dev/urandom";

        private final boolean counted;
        private final AtomicLong count = new AtomicLong();
        /** {@code null} while it is not open. */
        private volatile @Nullable InputStream device;

        public Tokens(boolean counted) {
            this.counted = counted;
        }

        public void draw(byte[] bytes) {
            try {
                read(bytes);
            } catch (FileNotFoundException e) {
                fillWithSeed(bytes); // Windows, or a container without it
            } catch (IOException e) {
                close(); // another thread closed it for a checkpoint
                fillWithSeed(bytes);
            }
        }

        private void read(byte[] bytes) throws IOException {
            InputStream open = device;
            if (open == null) {
                open = open();
            }
            if (open.readNBytes(bytes, 0, bytes.length) < bytes.length) {
                throw new IOException(DEVICE + " has ended");
            }
        }

        private synchronized InputStream open() throws IOException {
            InputStream open = device;
            if (open == null) {
                open = new FileInputStream(DEVICE);
                device = open;
            }
            return open;
        }

        /** The seeds of JDK generators come from the operating system too. Much slower. */
        private static void fillWithSeed(byte[] bytes) {
            System.arraycopy(new SecureRandom().generateSeed(bytes.length), 0, bytes, 0, bytes.length);
        }

        /** Until the next use: a process with open files cannot be checkpointed. */
        public synchronized void close() {
            InputStream open = device;
            device = null;
            if (open != null) {
                try {
                    open.close();
                } catch (IOException e) {
                    // It was only read from
                }
            }
        }
    }
}
