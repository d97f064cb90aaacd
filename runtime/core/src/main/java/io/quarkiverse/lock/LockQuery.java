package io.quarkiverse.lock;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * Which locks {@link LockManager#list} returns, and where it continues. Immutable.
 *
 * <pre>{@code
 * LockQuery orders = LockQuery.ALL.withPrefix("order-").withPageSize(500);
 * }</pre>
 *
 * @param prefix the prefix of the names; empty for all names. Only a filter: the store examines the other names as well
 * @param pageSize roughly the maximum number of locks on a page: 1 to {@link #MAX_PAGE_SIZE}. How many names the store examines
 *        for it depends on the backend
 * @param continuation where the previous page ended, from {@link Page#next}; {@code null} for the first page. Opaque: only the
 *        store that made it understands it
 */
public record LockQuery(String prefix, int pageSize, @Nullable String continuation) {

    /** More would hold up the store for too long. */
    public static final int MAX_PAGE_SIZE = 1000;

    /** All locks, 100 names to a page, from the beginning. */
    public static final LockQuery ALL = new LockQuery("", 100, null);

    public LockQuery {
        Objects.requireNonNull(prefix, "The prefix must not be null; use an empty one for all locks");
        if (pageSize < 1 || pageSize > MAX_PAGE_SIZE) {
            throw new IllegalArgumentException("pageSize must be from 1 to " + MAX_PAGE_SIZE + ", but is " + pageSize);
        }
    }

    public LockQuery withPrefix(String prefix) {
        return new LockQuery(prefix, pageSize, continuation);
    }

    /** @throws IllegalArgumentException if it is not from 1 to {@link #MAX_PAGE_SIZE} */
    public LockQuery withPageSize(int pageSize) {
        return new LockQuery(prefix, pageSize, continuation);
    }

    /**
     * Continues where a page ended, for callers that stored its continuation as text.
     *
     * @param continuation that of the {@linkplain Page#next next} query of that page
     */
    public LockQuery withContinuation(@Nullable String continuation) {
        return new LockQuery(prefix, pageSize, continuation);
    }

    /**
     * Some of the locks that a query asks for. It may be empty although more follow.
     *
     * @param locks the locks that were held or waited for when the store examined them; in no particular order
     * @param next the query for the next page; empty if this was the last one
     */
    public record Page(List<LockInfo> locks, Optional<LockQuery> next) {

        public Page {
            locks = List.copyOf(locks);
        }
    }
}
