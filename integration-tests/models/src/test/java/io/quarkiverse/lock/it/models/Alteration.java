package io.quarkiverse.lock.it.models;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.lock.it.models.Recording.Event;

/** What no lock may do: one event of a recording is altered, and the model must reject it. */
enum Alteration {

    /** Two holds have the same token. */
    TOKEN_TWICE {
        @Override
        void alter(List<Event> events, int first, int second) {
            Event of = events.get(second);
            events.set(second, new Event(of.at(), of.kind(), of.hold(), events.get(first).value()));
        }
    },
    /** A handle is valid when the next hold has begun. */
    VALID_BESIDE_THE_NEXT {
        @Override
        void alter(List<Event> events, int first, int second) {
            move(events, "sure", events.get(first).hold(), events.get(second).at() + 1);
        }
    },
    /** A handle is valid after its release. */
    VALID_AFTER_THE_END {
        @Override
        void alter(List<Event> events, int first, int second) {
            String hold = events.get(first).hold();
            long over = events.stream().filter(it -> it.hold().equals(hold) && it.kind().equals("over")).findFirst()
                    .orElseThrow().at();
            move(events, "sure", hold, over + 1);
        }
    },
    /** Somebody gets the lock before requesting it. */
    GRANTED_UNASKED {
        @Override
        void alter(List<Event> events, int first, int second) {
            move(events, "ask", events.get(second).hold(), events.get(second).at() + 1);
        }
    };

    abstract void alter(List<Event> events, int first, int second);

    private static void move(List<Event> events, String kind, String hold, long to) {
        events.replaceAll(it -> it.hold().equals(hold) && it.kind().equals(kind) ? new Event(to, kind, hold, it.value()) : it);
    }

    /** In the middle of the recording: two successive holds, both of which are certain for a while. */
    Recording of(Recording recording) {
        List<Event> events = new ArrayList<>(recording.events());
        int first = -1;
        for (int i = 0; i < events.size(); i++) {
            Event event = events.get(i);
            if (event.kind().equals("enter")) {
                if (first >= 0 && certain(events, event.hold())) {
                    alter(events, first, i);
                    return recording.with(events);
                }
                first = i > events.size() / 2 && certain(events, event.hold()) ? i : -1;
            }
        }
        throw new IllegalArgumentException("No two certain holds in " + recording.name());
    }

    private static boolean certain(List<Event> events, String hold) {
        return events.stream().anyMatch(it -> it.hold().equals(hold) && it.kind().equals("sure"))
                && events.stream().anyMatch(it -> it.hold().equals(hold) && it.kind().equals("over"));
    }
}
