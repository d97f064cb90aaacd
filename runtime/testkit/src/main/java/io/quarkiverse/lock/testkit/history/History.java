package io.quarkiverse.lock.testkit.history;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

import io.quarkiverse.lock.testkit.history.HistoryEvent.Kind;

/**
 * What happened, as reported by all participants, in any order and from any thread.
 *
 * <pre>{@code
 * History history = new History();
 * history.add(HistoryEvent.invoked("jvm-1", "stock-7", 1, asked, asked + wait, lease));
 * ...
 * assertThat(HistoryChecker.STANDARD.check(history.events(), System.nanoTime())).isEmpty();
 * }</pre>
 *
 * Of the times at which a handle was found valid only the last is kept: it covers the others.
 */
public final class History {

    private record Key(String process, long hold) {
    }

    private final ConcurrentLinkedQueue<HistoryEvent> events = new ConcurrentLinkedQueue<>();
    private final Map<Key, HistoryEvent> lastValid = new ConcurrentHashMap<>();
    private final Map<Path, Long> read = new ConcurrentHashMap<>();

    public void add(HistoryEvent event) {
        if (event.kind() == Kind.VALID) {
            lastValid.merge(new Key(event.process(), event.hold()), event,
                    (before, now) -> now.from() - before.from() > 0 ? now : before);
        } else {
            events.add(event);
        }
    }

    /** A copy. */
    public List<HistoryEvent> events() {
        var all = new ArrayList<>(events);
        all.addAll(lastValid.values());
        return all;
    }

    /** For a process that may be killed: an event is in the file when this returns. {@link #read} reads the file. */
    public static Consumer<HistoryEvent> writer(Path file) {
        try {
            Writer writer = Files.newBufferedWriter(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            return event -> append(writer, event);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void append(Writer writer, HistoryEvent event) {
        synchronized (writer) {
            try {
                writer.write(event.toLine() + "\n");
                writer.flush();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Adds the events written to the file since it was last read here; an incomplete last line is left for later. */
    public synchronized void read(Path file) {
        if (!Files.exists(file)) {
            return;
        }
        try (SeekableByteChannel channel = Files.newByteChannel(file)) {
            long from = read.getOrDefault(file, 0L);
            ByteBuffer bytes = ByteBuffer.allocate((int) (channel.size() - from));
            channel.position(from);
            while (bytes.hasRemaining() && channel.read(bytes) >= 0) {
                // Try again
            }
            String text = new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8);
            int end = text.lastIndexOf('\n') + 1;
            text.substring(0, end).lines().map(HistoryEvent::parse).forEach(this::add);
            read.put(file, from + text.substring(0, end).getBytes(StandardCharsets.UTF_8).length);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
