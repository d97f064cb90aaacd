package io.quarkiverse.lock.engine.deadlock;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.spi.WaitNotes;

/**
 * The text beside a claim: a version, and a part for each caller that waits with it. The part is {@code ;}, the caller's number
 * in its JVM, how often it has found itself in a circle, the wait that it asked for in milliseconds, its mode, who it is, and
 * what it holds. That is written as fences with names, with {@code !} in front of what a handle holds.
 */
record WaitNote(List<Caller> callers) {

    private static final String VERSION = "1";
    private static final int MOST_OWNED = 16;

    /**
     * @param seen how often it has found itself in a circle: if the number still grows, the caller still waits
     * @param waitMillis how long it wants to wait in total
     */
    record Caller(long number, long seen, long waitMillis, LockMode mode, String who, List<Owned> owned) {
    }

    /**
     * A hold that its caller does not give back while it waits.
     *
     * @param sure whether nobody else can give it back either
     */
    record Owned(String name, long fence, boolean sure) {
    }

    /** Includes as many callers as there is room for; none if there is no room. */
    static WaitNote of(List<Caller> callers) {
        List<Caller> fitting = new ArrayList<>();
        int length = VERSION.length();
        for (Caller caller : callers) {
            Caller bounded = caller.owned().size() <= MOST_OWNED ? caller
                    : new Caller(caller.number(), caller.seen(), caller.waitMillis(), caller.mode(), caller.who(),
                            caller.owned().subList(0, MOST_OWNED));
            int more = text(bounded).length() + 8; // the numbers grow
            if (length + more <= WaitNotes.MAX_LENGTH) {
                fitting.add(bounded);
                length += more;
            }
        }
        return new WaitNote(fitting);
    }

    String text() {
        StringBuilder text = new StringBuilder(VERSION);
        callers.forEach(caller -> text.append(text(caller)));
        return text.toString();
    }

    private static String text(Caller caller) {
        StringBuilder text = new StringBuilder(";").append(caller.number()).append(' ').append(caller.seen()).append(' ')
                .append(caller.waitMillis()).append(' ').append(caller.mode() == LockMode.SHARED ? 'S' : 'X').append(' ')
                .append(URLEncoder.encode(caller.who(), StandardCharsets.UTF_8));
        for (Owned each : caller.owned()) {
            text.append(each.sure() ? " " : " !").append(each.fence()).append('@').append(encoded(each.name()));
        }
        return text.toString();
    }

    /** An unpaired surrogate in a name has no UTF-8 form and becomes {@code ?}: others then do not recognize the name. */
    private static String encoded(String name) {
        return URLEncoder.encode(name, StandardCharsets.UTF_8);
    }

    /** Has no callers if the note is of another version, or damaged. */
    static WaitNote parse(String text) {
        List<Caller> callers = new ArrayList<>();
        String[] parts = text.split(";");
        if (!parts[0].equals(VERSION)) {
            return new WaitNote(List.of());
        }
        try {
            for (int i = 1; i < parts.length; i++) {
                callers.add(caller(parts[i].split(" ")));
            }
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            return new WaitNote(List.of());
        }
        return new WaitNote(callers);
    }

    private static Caller caller(String[] fields) {
        List<Owned> owned = new ArrayList<>();
        for (int i = 5; i < fields.length; i++) {
            boolean sure = fields[i].charAt(0) != '!';
            int at = fields[i].indexOf('@');
            owned.add(new Owned(URLDecoder.decode(fields[i].substring(at + 1), StandardCharsets.UTF_8),
                    Long.parseLong(fields[i].substring(sure ? 0 : 1, at)), sure));
        }
        return new Caller(Long.parseLong(fields[0]), Long.parseLong(fields[1]), Long.parseLong(fields[2]),
                fields[3].equals("S") ? LockMode.SHARED : LockMode.EXCLUSIVE,
                URLDecoder.decode(fields[4], StandardCharsets.UTF_8), owned);
    }
}
