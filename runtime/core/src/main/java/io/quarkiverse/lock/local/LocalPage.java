package io.quarkiverse.lock.local;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.spi.support.ListedNames;

/** Some of the names in the store, in order: a page begins after the last name of the previous one. */
final class LocalPage {

    /** Precedes the name in a continuation; other backends do not use it. */
    private static final String MARK = "local:";
    /** An unpaired surrogate, which does not survive being sent as UTF-8, and the character that begins its escape. */
    private static final Pattern UNSENT = Pattern.compile("[\\p{Cs}\\\\]");
    private static final Pattern ESCAPED = Pattern.compile("\\\\u([0-9a-f]{4})");

    private LocalPage() {
    }

    /** Holds the store's guard for no longer than it takes to read one name, or to copy references to all names. */
    static LockQuery.Page of(LocalStore store, LockQuery query) {
        String after = after(query.continuation());
        List<String> names = guarded(store, store::names).stream()
                .filter(name -> name.startsWith(query.prefix()) && name.compareTo(after) > 0).sorted()
                .limit(query.pageSize() + 1L).toList();
        boolean more = names.size() > query.pageSize();
        if (more) {
            names = names.subList(0, query.pageSize());
        }
        List<LockInfo> locks = new ArrayList<>(names.size());
        for (String name : names) {
            guarded(store, () -> {
                LocalEntry entry = store.inUse(name);
                return entry != null && locks.add(entry.info(store.time.nanoTime()));
            });
        }
        return new LockQuery.Page(locks,
                more ? Optional.of(query.withContinuation(continuation(names.get(names.size() - 1)))) : Optional.empty());
    }

    private static String continuation(String last) {
        return MARK + UNSENT.matcher(last)
                .replaceAll(each -> Matcher.quoteReplacement(String.format("\\u%04x", (int) each.group().charAt(0))));
    }

    private static String after(@Nullable String continuation) {
        if (continuation == null) {
            return "";
        }
        if (!continuation.startsWith(MARK)) {
            throw ListedNames.foreignContinuation("in this JVM");
        }
        return ESCAPED.matcher(continuation.substring(MARK.length()))
                .replaceAll(each -> Matcher.quoteReplacement(String.valueOf((char) Integer.parseInt(each.group(1), 16))));
    }

    private static <T> T guarded(LocalStore store, Supplier<T> step) {
        store.guard.lock();
        try {
            return step.get();
        } finally {
            store.guard.unlock();
        }
    }
}
