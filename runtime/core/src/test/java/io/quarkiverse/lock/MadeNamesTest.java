package io.quarkiverse.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

/** A test with a whole application checks that {@code @Locked} makes the same names. */
class MadeNamesTest {

    @Test
    void partsReplacePlaceholders() {
        assertThat(LockManager.nameOf("stock-{warehouse}-{item}", "eu", 7L)).isEqualTo("stock-eu-7");
        assertThat(LockManager.nameOf("{order.id}/{order.id}", 1, 2)).isEqualTo("1/2");
        assertThat(LockManager.nameOf("{{{id}}}", 'x')).isEqualTo("{x}");
        assertThat(LockManager.nameOf("report")).isEqualTo("report");
        assertThat(LockManager.nameOf("${no.such.property:acme}-{id}", 1)).isEqualTo("acme-1");
    }

    @Test
    void onlyPartsBeforeAnotherPartAreEscaped() {
        assertThat(LockManager.nameOf("stock-{a}-{b}", "eu-1", "x-\\")).isEqualTo("stock-eu\\-1-x-\\");
        assertThat(LockManager.nameOf("stock-{a}-", "eu-1\\")).isEqualTo("stock-eu-1\\-");
        assertThat(LockManager.nameOf("{a}--{b}", "1--2", 3)).isEqualTo("1\\-\\-2--3");
        assertThat(LockManager.nameOf("{a}{b}", "1,2", "3,4")).isEqualTo("1\\,2,3,4");
        assertThat(LockManager.nameOf("{a}${no.such.property:x}{b}", "1,2", 3)).isEqualTo("1\\,2,x3");
    }

    /** Texts that plain concatenation would confuse, at every position of templates of every shape. */
    @Test
    void differentPartsNeverYieldTheSameName() {
        List<String> templates = List.of("{a}-{b}", "x{a}--{b}-", "{a}{b}", "{a},{b}", "{a}${no.such.property:-}{b}",
                "{a}\ud83d\ude00{b}", "{a}-{b}{c}", "{a}{b}-{c}", "{a}-{b}-{c}");
        List<String> texts = new ArrayList<>(List.of(""));
        List<String> characters = List.of("-", ",", "\\", "x", "\ud83d", "\ude00");
        for (int length = 0, from = 0; length < 2; length++) {
            int end = texts.size();
            for (; from < end; from++) {
                for (String character : characters) {
                    texts.add(texts.get(from) + character);
                }
            }
        }
        for (String template : templates) {
            Map<String, List<String>> made = new HashMap<>();
            for (String a : texts) {
                for (String b : texts) {
                    for (String c : template.contains("{c}") ? texts : List.of("")) {
                        List<String> parts = template.contains("{c}") ? List.of(a, b, c) : List.of(a, b);
                        List<String> other = made.put(LockManager.nameOf(template, parts.toArray()), parts);
                        assertThat(other).as("%s of %s", template, parts).isNull();
                    }
                }
            }
        }
    }

    @Test
    void invalidTemplatesAndPartsAreRejected() {
        assertRefused("it has 2 part(s), but there are 1 value(s)", "stock-{a}-{b}", "eu");
        assertRefused("it has 2 part(s), but there are 3 value(s)", "stock-{a}-{b}", "eu", 7, 8);
        assertRefused("{b} is null", "stock-{a}-{b}", "eu", null);
        assertRefused("{a} is null", "stock-{a}", (Object[]) null);
        assertRefused("{a} is of class java.lang.Object", "stock-{a}", new Object());
        assertRefused("is not closed", "stock-{a", "eu");
        assertRefused("'{}' is not a parameter", "stock-{}", "eu");
        assertRefused("right after {a}", "{a}\\{b}", "eu", 7);
        assertThatThrownBy(() -> LockManager.nameOf("${no.such.property}")).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'no.such.property' is not set");
    }

    private static void assertRefused(String why, String template, Object... parts) {
        assertThatThrownBy(() -> LockManager.nameOf(template, parts)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("The lock name of '" + template + "' cannot be made: ").hasMessageContaining(why);
    }
}
