package io.quarkiverse.lock.jpa.notify;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** The receivers of notifications in this JVM: one for each backend that shares the database. */
public final class Subscribers {

    private final List<Consumer<Notification>> all = new CopyOnWriteArrayList<>();

    public void add(Consumer<Notification> subscriber) {
        all.add(subscriber);
    }

    public boolean remove(Consumer<Notification> subscriber) {
        return all.remove(subscriber);
    }

    public boolean isEmpty() {
        return all.isEmpty();
    }

    public void deliver(Notification notification) {
        all.forEach(subscriber -> subscriber.accept(notification));
    }
}
