package io.quarkiverse.lock.engine.queue;

import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.security.SecureRandom;

import org.jspecify.annotations.Nullable;

/**
 * Random bits from the operating system, read anew each time. A generator of the JDK keeps a state in this process, or bits
 * that it has read ahead: copies of a running process (CRaC, SnapStart, a cloned machine) would draw the same from it.
 */
public final class OsRandom {

    private static final String DEVICE = "/dev/urandom";

    /** {@code null} while it is not open. */
    private volatile @Nullable InputStream device;

    public void fill(byte[] bytes) {
        try {
            read(bytes);
        } catch (FileNotFoundException e) {
            fillWithSeed(bytes); // Windows, or a container without it
        } catch (IOException e) {
            close(); // it was closed by another thread, for a checkpoint
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

    /** What generators of the JDK are seeded with is the operating system's as well. Much slower. */
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
                // It was only read
            }
        }
    }
}
