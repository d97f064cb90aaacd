package io.quarkiverse.lock.testkit.history;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/**
 * One thing that a lock client did or saw. All times are {@link System#nanoTime}, which on Linux is one clock for all JVMs of a
 * machine.
 *
 * @param kind what happened; defines the meaning of the other fields
 * @param process the JVM; empty if none
 * @param name the lock; empty if none
 * @param hold distinguishes the requests of a process; 0 if none
 * @param from when it began
 * @param to when it had ended
 * @param value see {@link Kind}
 */
public record HistoryEvent(Kind kind, String process, String name, long hold, long from, long to, long value) {

    /** The kinds of events. */
    public enum Kind {
        /**
         * A lock is requested at {@code from}, and an answer is due by {@code to}. The value is the longest lease that it may
         * get, in nanoseconds.
         */
        INVOKED,
        /** The request was granted at {@code to}. The value is the fencing token. */
        ACQUIRED,
        /** The request ended at {@code to} without the lock. The value is the ordinal of its {@link Cause}. */
        REFUSED,
        /** The request failed at {@code to}, and the store may keep part of it until its lease ends. */
        UNCERTAIN,
        /** The lock was released. The value is 1 if the store has confirmed it, else 0. */
        RELEASED,
        /** The handle was asked, and said that it was valid. */
        VALID,
        /** The handle was asked, and said that it was not valid. */
        INVALID,
        /** The holder was notified of the loss. */
        LOST,
        /**
         * The engine decided at {@code from} to hand the lock out. The value is for how many nanoseconds it remained valid at
         * {@code to}; 0 if its lease was over by then.
         */
        GRANTED,
        /** Somebody may have taken the lock from its holder. The value is 1 if the previous holder no longer has it, else 0. */
        FORCED,
        /** The process did not run. */
        PAUSED,
        /** The process ended at {@code to}, without a chance to clean up. */
        KILLED,
        /** The store or the link to it did not work for somebody; the lock may be idle meanwhile. */
        FAULT,
        /** The machine did not run, or hardly did: no process and no store. */
        STALLED,
        /**
         * A register behind a fence took a write at {@code to}. The hold is the fencing token of the write, the value is the
         * register's new content: one more than before, because holders only count.
         */
        WRITTEN,
        /** A register behind a fence refused a write, or the read before it. The hold is the fencing token of the request. */
        REJECTED
    }

    public static HistoryEvent invoked(String process, String name, long hold, long at, long deadline, long leaseNanos) {
        return new HistoryEvent(Kind.INVOKED, process, name, hold, at, deadline, leaseNanos);
    }

    public static HistoryEvent acquired(String process, String name, long hold, long at, long fencingToken) {
        return new HistoryEvent(Kind.ACQUIRED, process, name, hold, at, at, fencingToken);
    }

    public static HistoryEvent refused(String process, String name, long hold, long at) {
        return refused(process, name, hold, at, Cause.BUSY);
    }

    /** As {@link #refused(String, String, long, long)}, for another cause. */
    public static HistoryEvent refused(String process, String name, long hold, long at, Cause cause) {
        return new HistoryEvent(Kind.REFUSED, process, name, hold, at, at, cause.ordinal());
    }

    public static HistoryEvent uncertain(String process, String name, long hold, long at) {
        return new HistoryEvent(Kind.UNCERTAIN, process, name, hold, at, at, 0);
    }

    public static HistoryEvent released(String process, String name, long hold, long from, long to, boolean confirmed) {
        return new HistoryEvent(Kind.RELEASED, process, name, hold, from, to, confirmed ? 1 : 0);
    }

    public static HistoryEvent valid(String process, String name, long hold, long from, long to) {
        return new HistoryEvent(Kind.VALID, process, name, hold, from, to, 0);
    }

    public static HistoryEvent invalid(String process, String name, long hold, long from, long to) {
        return new HistoryEvent(Kind.INVALID, process, name, hold, from, to, 0);
    }

    public static HistoryEvent lost(String process, String name, long hold, long at) {
        return new HistoryEvent(Kind.LOST, process, name, hold, at, at, 0);
    }

    public static HistoryEvent granted(String process, String name, long decided, long at, long validNanos) {
        return new HistoryEvent(Kind.GRANTED, process, name, 0, decided, at, validNanos);
    }

    /** The lock may have been taken from its holder. */
    public static HistoryEvent forced(String name, long from, long to) {
        return new HistoryEvent(Kind.FORCED, "", name, 0, from, to, 0);
    }

    /** The lock has been taken from its holder, if it had one. */
    public static HistoryEvent taken(String name, long from, long to) {
        return new HistoryEvent(Kind.FORCED, "", name, 0, from, to, 1);
    }

    public static HistoryEvent paused(String process, long from, long to) {
        return new HistoryEvent(Kind.PAUSED, process, "", 0, from, to, 0);
    }

    public static HistoryEvent killed(String process, long at) {
        return new HistoryEvent(Kind.KILLED, process, "", 0, at, at, 0);
    }

    public static HistoryEvent fault(long from, long to) {
        return new HistoryEvent(Kind.FAULT, "", "", 0, from, to, 0);
    }

    public static HistoryEvent stalled(long from, long to) {
        return new HistoryEvent(Kind.STALLED, "", "", 0, from, to, 0);
    }

    public static HistoryEvent written(String name, long fencingToken, long at, long value) {
        return new HistoryEvent(Kind.WRITTEN, "", name, fencingToken, at, at, value);
    }

    public static HistoryEvent rejected(String name, long fencingToken, long from, long to) {
        return new HistoryEvent(Kind.REJECTED, "", name, fencingToken, from, to, 0);
    }

    /** The event as a line for a file or a pipe, without a line break. */
    public String toLine() {
        return kind + " " + encode(process) + " " + encode(name) + " " + hold + " " + from + " " + to + " " + value;
    }

    /** Parses a line written by {@link #toLine}. */
    public static HistoryEvent parse(String line) {
        String[] part = line.split(" ", -1);
        return new HistoryEvent(Kind.valueOf(part[0]), decode(part[1]), decode(part[2]), Long.parseLong(part[3]),
                Long.parseLong(part[4]), Long.parseLong(part[5]), Long.parseLong(part[6]));
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static String decode(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }
}
