package io.quarkiverse.lock.jpa.table;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.jpa.database.LockConnection;
import io.quarkiverse.lock.spi.support.ListedNames;

/**
 * The names of a namespace, page by page in key order. The prefix is a filter: each query reads the next rows, whatever they
 * are, so it is short. The table stores names for people, {@link LockNames#printable}; the key proves which name is meant. Of a
 * name longer than the column, only the beginning is known.
 */
public final class NamePages {

    private static final Pattern KEY = Pattern
            .compile("[0-9a-f]{" + LockRow.ID_LENGTH + "}|" + LockRow.MARKER);
    private static final Pattern ESCAPE = Pattern.compile("\\\\u([0-9a-f]{4})");
    private static final int ESCAPE_LENGTH = 6;
    private static final Pattern CUT_ESCAPE = Pattern.compile("\\\\(u[0-9a-f]{0,3})?$");
    /** Marks a name of which only the beginning is known. */
    private static final String CUT = "\u2026";
    /** An apparent escape may be the name itself. With more escapes than this, only all or none of them are tried. */
    private static final int MOST_ESCAPES = 8;
    /** One page takes at most this many queries, which skip rows of other namespaces and free names. */
    private static final int MOST_QUERIES = 8;

    /** A row whose name is queried. */
    public record Row(String id, String name, NameState state) {
    }

    /** Selects the rows whose names are held or waited for. */
    @FunctionalInterface
    public interface Look {
        List<LockInfo> among(List<Row> rows) throws SQLException;
    }

    private final Statements statements;
    private final LockNames names;
    private final String beforeName;

    public NamePages(Statements statements, LockNames names) {
        this.statements = statements;
        this.names = names;
        this.beforeName = names.readable("");
    }

    /** @throws IllegalArgumentException if the query continues where no page has ended */
    public static void check(LockQuery query) {
        String continuation = query.continuation();
        if (continuation != null && !KEY.matcher(continuation).matches()) {
            throw ListedNames.foreignContinuation("in this database");
        }
    }

    /** @param query a {@linkplain #check checked} query; the check needs no connection */
    public LockQuery.Page page(LockConnection connection, LockQuery query, Look look) throws SQLException {
        String after = query.continuation() == null ? LockNames.BEFORE_ALL : query.continuation();
        String sql = statements.page(query.pageSize());
        for (int queries = 1;; queries++) {
            List<Row> rows = new ArrayList<>();
            List<String> ids = connection.first(query.pageSize(), sql, row -> {
                String id = row.getString(11);
                String name = name(id, row.getString(12), query.prefix());
                if (name != null) {
                    rows.add(new Row(id, name, NameState.read(row)));
                }
                return id;
            }, after);
            List<LockInfo> locks = rows.isEmpty() ? List.of() : look.among(rows);
            if (ids.size() < query.pageSize()) {
                return new LockQuery.Page(locks, Optional.empty());
            }
            after = ids.get(ids.size() - 1);
            if (!locks.isEmpty() || queries == MOST_QUERIES) {
                return new LockQuery.Page(locks, Optional.of(query.withContinuation(after)));
            }
        }
    }

    /**
     * The name if it has the prefix; {@code null} if it does not, or belongs to another namespace. Of a name that is too long,
     * or has too many escapes, only the text for people is known: it is shown with a mark at its end.
     */
    @Nullable
    String name(String id, String readable, String prefix) {
        if (!readable.startsWith(beforeName)) {
            return null;
        }
        String shown = readable.substring(beforeName.length());
        List<MatchResult> escapes = escapes(shown);
        int count = escapes.size();
        boolean few = count <= MOST_ESCAPES;
        for (int which = few ? (1 << count) - 1 : 1; which >= 0; which--) {
            String candidate = unescaped(shown, escapes, few ? which : -which);
            if (names.id(candidate).equals(id)) {
                return candidate.startsWith(prefix) ? candidate : null;
            }
        }
        if (few && readable.length() < LockRow.NAME_LENGTH) {
            return null; // written by somebody else
        }
        return mayBegin(CUT_ESCAPE.matcher(shown).replaceFirst(""), prefix) ? beginning(shown) + CUT : null;
    }

    /** Whether the name may have the prefix: each escape may stand for a character, or be part of the name. */
    private static boolean mayBegin(String shown, String prefix) {
        int at = 0;
        int i = 0;
        while (i < prefix.length() && at < shown.length()) {
            char c = prefix.charAt(i++);
            if (shown.charAt(at) == c) {
                at++;
            } else if (shown.startsWith(LockNames.printable(String.valueOf(c)), at)) {
                at += ESCAPE_LENGTH;
            } else {
                return false;
            }
        }
        return true;
    }

    /** What may be an escape for a character that is not printable ASCII, as {@link LockNames#printable} writes it. */
    private static List<MatchResult> escapes(String shown) {
        return ESCAPE.matcher(shown).results()
                .filter(escape -> LockNames.printable(String.valueOf(character(escape))).length() == ESCAPE_LENGTH).toList();
    }

    private static char character(MatchResult escape) {
        return (char) Integer.parseInt(escape.group(1), 16);
    }

    /** How a list shows a name of which the table has only this part. */
    static String beginning(String shown) {
        String whole = CUT_ESCAPE.matcher(shown).replaceFirst("");
        return unescaped(whole, escapes(whole), -1);
    }

    /** @param which the escapes that stand for a character, as bits */
    private static String unescaped(String shown, List<MatchResult> escapes, int which) {
        var name = new StringBuilder(shown.length());
        int from = 0;
        for (int i = 0; i < escapes.size(); i++) {
            MatchResult escape = escapes.get(i);
            if (which == -1 || which > 0 && (which >> i & 1) == 1) {
                name.append(shown, from, escape.start()).append(character(escape));
                from = escape.end();
            }
        }
        return name.append(shown, from, shown.length()).toString();
    }
}
