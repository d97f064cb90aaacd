package io.quarkiverse.lock;

import java.util.List;
import java.util.Optional;

/**
 * Some of the locks that a {@link LockQuery} asks for. It may be empty although there are more to come.
 *
 * @param locks held or waited for when the store looked at them; in no particular order
 * @param next asks for the next page; empty when this was the last one
 */
public record LockPage(List<LockInfo> locks, Optional<LockQuery> next) {

    public LockPage {
        locks = List.copyOf(locks);
    }
}
