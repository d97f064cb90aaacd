package io.quarkiverse.lock.jpa.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.jpa.dialect.PostgresLockDialect;

/** Names are recovered from the readable form in the table. */
class NamePagesTest {

    private static final LockNames NAMES = new LockNames("a");
    private static final NamePages PAGES = new NamePages(
            new Statements(new PostgresLockDialect(), LockRow.TABLE, LockClaimRow.TABLE), NAMES);

    @Test
    void anyNameIsRecoveredFromItsRow() {
        for (String name : new String[] { "x", "a:b", ":", "\u00e4", "\\u00e4", "\\u00e4\u00e4", "\\\\u00e4", "\ud83d",
                "\u00e4".repeat(40),
                "\\u00e4".repeat(40), "x".repeat(LockRow.NAME_LENGTH - 2), "\\", "\0" }) {
            assertThat(listed(NAMES, name, "")).isEqualTo(name);
        }
    }

    /** A page may end at the marker row, whose key is not that of a name. */
    @Test
    void pageContinuesAfterPreviousOne() {
        NamePages.check(LockQuery.ALL.withContinuation(NAMES.id("x")));
        NamePages.check(LockQuery.ALL.withContinuation(LockRow.MARKER));
        assertThatThrownBy(() -> NamePages.check(LockQuery.ALL.withContinuation("x")))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void prefixMatchesOriginalName() {
        assertThat(listed(NAMES, "x%y", "x%")).isEqualTo("x%y");
        assertThat(listed(NAMES, "x1y", "x%")).isNull();
        assertThat(listed(NAMES, "\u00e4x", "\u00e4")).isEqualTo("\u00e4x");
        assertThat(listed(NAMES, "\u00e4x", "\\u")).isNull();
        assertThat(listed(NAMES, "\\u00e4x", "\\u")).isEqualTo("\\u00e4x");
    }

    @Test
    void namespaceWithSamePrefixIsExcluded() {
        assertThat(listed(new LockNames("a:b"), "x".repeat(300), "")).as("which the key does not show").isNull();
        assertThat(listed(new LockNames("a:b"), "\u00e4".repeat(9) + "\\u00e4", "")).isNull();
        assertThat(listed(new LockNames("a:b"), "x", "")).isNull();
        assertThat(listed(new LockNames("b"), "x", "")).isNull();
        assertThat(listed(new LockNames("aa"), "x", "")).isNull();
    }

    @Test
    void longNameIsListedByItsBeginning() {
        assertThat(listed(NAMES, "x".repeat(300), "")).isEqualTo("x".repeat(LockRow.NAME_LENGTH - 2) + "\u2026");
        assertThat(listed(NAMES, "\u00e4".repeat(300), "\u00e4")).isEqualTo("\u00e4".repeat(42) + "\u2026");
        assertThat(listed(NAMES, "x".repeat(300), "y")).isNull();
        assertThat(listed(NAMES, "x".repeat(300), "x".repeat(299))).as("may have this prefix").isNotNull();
    }

    /** It has more possible readings than are tried. */
    @Test
    void ambiguouslyEscapedNameIsListedAsText() {
        String mixed = "\u00e4".repeat(5) + "\\u00e4".repeat(5) + "x";
        String shown = "\u00e4".repeat(10) + "x\u2026";
        for (String prefix : new String[] { "", "\u00e4", "\u00e4".repeat(5) + "\\u", mixed }) {
            assertThat(listed(NAMES, mixed, prefix)).as(prefix).isEqualTo(shown);
        }
        assertThat(listed(NAMES, mixed, "x")).isNull();
        assertThat(listed(NAMES, mixed, "\u00f6")).isNull();
    }

    @Test
    void longNameWithEscapeLookalikesIsListed() {
        assertThat(listed(NAMES, "\\u00e4" + "x".repeat(300), "\\u")).isNotNull();
        assertThat(listed(NAMES, "\u00e4" + "x".repeat(300), "\u00e4x")).isNotNull();
        assertThat(listed(NAMES, "\\u0041" + "x".repeat(300), "\\u0041")).startsWith("\\u0041x");
        assertThat(listed(NAMES, "\u00e4" + "x".repeat(300), "x")).isNull();
    }

    private static String listed(LockNames names, String name, String prefix) {
        return PAGES.name(names.id(name), names.readable(name), prefix);
    }
}
