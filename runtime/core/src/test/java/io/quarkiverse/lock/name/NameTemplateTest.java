package io.quarkiverse.lock.name;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.name.NameTemplate.Expression;
import io.quarkiverse.lock.name.NameTemplate.Part;
import io.quarkiverse.lock.name.NameTemplate.Text;

class NameTemplateTest {

    @Test
    void piecesAreParsedInOrder() {
        assertThat(NameTemplate.parse("order-{order.id}-${shop.tenant:x}-{n}").pieces()).containsExactly(
                new Text("order-"), new Part(List.of("order", "id")), new Text("-"), new Expression("${shop.tenant:x}"),
                new Text("-"), new Part(List.of("n")));
    }

    @Test
    void doubledBracesAreText() {
        assertThat(NameTemplate.parse("a{{b}}c").pieces()).containsExactly(new Text("a{b}c"));
        assertThat(NameTemplate.parse("{{{id}}}").pieces()).containsExactly(new Text("{"), new Part(List.of("id")),
                new Text("}"));
    }

    @Test
    void loneDollarIsText() {
        assertThat(NameTemplate.parse("$5-{id}").pieces()).containsExactly(new Text("$5-"), new Part(List.of("id")));
    }

    @Test
    void defaultsOfExpressionsCanBeExpressions() {
        assertThat(NameTemplate.parse("${a:${b:c}}x").pieces()).containsExactly(new Expression("${a:${b:c}}"), new Text("x"));
    }

    @Test
    void fault491_partInsideAnExpressionIsRejected() {
        assertThatThrownBy(() -> NameTemplate.parse("${a:b-{id}}")).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'{' at 6 is in the expression at 0")
                .hasMessageContaining("write the part outside of it");
        assertThatThrownBy(() -> NameTemplate.parse("x${a:${b:{id}}}")).hasMessageContaining("'{' at 9");
    }

    @Test
    void invalidTemplatesAreRejected() {
        assertThatThrownBy(() -> NameTemplate.parse("a{id")).hasMessageContaining("at 1 is not closed");
        assertThatThrownBy(() -> NameTemplate.parse("a}")).hasMessageContaining("write '}}'");
        assertThatThrownBy(() -> NameTemplate.parse("a{}")).hasMessageContaining("'{}' is not a parameter");
        assertThatThrownBy(() -> NameTemplate.parse("{a..b}")).hasMessageContaining("'{a..b}'");
        assertThatThrownBy(() -> NameTemplate.parse("{a b}")).hasMessageContaining("'{a b}'");
        assertThatThrownBy(() -> NameTemplate.parse("${a")).hasMessageContaining("not closed");
        assertThatThrownBy(() -> NameTemplate.parse("{a}\\{b}")).hasMessageContaining("right after {a}");
    }
}
