package io.quarkiverse.lock.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoryTest {

    private final History history = new History();
    private final HistoryEvent asked = HistoryEvent.invoked("a", "lock", 1, 10, 20, 5);

    @Test
    void lastValidityOfAHandleIsKept() {
        history.add(HistoryEvent.valid("a", "lock", 1, 12, 13));
        history.add(HistoryEvent.valid("a", "lock", 1, 16, 17));
        history.add(HistoryEvent.valid("a", "lock", 1, 14, 15));
        history.add(HistoryEvent.valid("b", "lock", 1, 1, 2));
        history.add(asked);
        assertThat(history.events()).containsExactlyInAnyOrder(asked, HistoryEvent.valid("a", "lock", 1, 16, 17),
                HistoryEvent.valid("b", "lock", 1, 1, 2));
    }

    @Test
    void incompleteLineIsReadOnceComplete(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("a");
        history.read(file);
        HistoryEvent second = HistoryEvent.refused("ä", "lock", 1, 11);
        var writer = History.writer(file);
        writer.accept(asked);
        Files.writeString(file, second.toLine().substring(0, 5), StandardOpenOption.APPEND);
        history.read(file);
        assertThat(history.events()).containsExactly(asked);
        Files.writeString(file, second.toLine().substring(5) + "\n", StandardOpenOption.APPEND);
        history.read(file);
        history.read(file);
        assertThat(history.events()).containsExactly(asked, second);
    }
}
