package io.quarkiverse.lock.name;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.text.PrintableName;

/**
 * A parsed template of lock names: text, {@code {parameter.property}} parts and {@code ${property}} expressions. Doubled braces
 * stand for themselves. Of several parts, each but the last is followed by a text, which it is {@link #delimiter escaped} for.
 */
public record NameTemplate(List<Piece> pieces) {

    /** Follows a part that has no text after it in the template. */
    private static final Text SEPARATOR = new Text(",");

    private static final Pattern FOREIGN_PART = Pattern.compile("#[\\w.]*|%(?:\\d+\\$)?[sd]|:(\\w+)");

    public sealed interface Piece {
    }

    public record Text(String text) implements Piece {
    }

    /** A property expression with its {@code $} and braces. */
    public record Expression(String expression) implements Piece {
    }

    /** A path from a parameter through properties. */
    public record Part(List<String> path) implements Piece {

        @Override
        public String toString() {
            return String.join(".", path);
        }
    }

    private long parts() {
        return pieces.stream().filter(Part.class::isInstance).count();
    }

    /**
     * What the part at this place is {@linkplain NameParts#escape escaped} for: the first character of the text that follows.
     * {@code null} for the last part, since the text after it never varies.
     */
    public @Nullable Character delimiter(int piece) {
        return piece == lastPart(pieces) ? null : ((Text) pieces.get(piece + 1)).text().charAt(0);
    }

    private static int lastPart(List<Piece> pieces) {
        int last = pieces.size() - 1;
        while (last >= 0 && !(pieces.get(last) instanceof Part)) {
            last--;
        }
        return last;
    }

    /**
     * The name that the template makes with these values in place of the parts, in their order. Expressions are resolved with
     * the current configuration.
     *
     * @throws IllegalArgumentException if this is no template, their number is not that of the parts, or one of them has no
     *         text
     */
    public static String name(String source, @Nullable Object @Nullable... values) {
        String description = "'" + PrintableName.of(source) + "'";
        NameTemplate template;
        try {
            template = parse(source);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(NameParts.impossible(description) + e.getMessage(), e);
        }
        // The compiler takes a single null for the array
        return template.filled(description, values == null ? new @Nullable Object[] { null } : values);
    }

    private String filled(String description, @Nullable Object[] values) {
        if (values.length != parts()) {
            throw new IllegalArgumentException(
                    NameParts.impossible(description) + "it has " + parts() + " part(s), but there are " + values.length
                            + " value(s)");
        }
        StringBuilder name = new StringBuilder();
        int value = 0;
        for (int i = 0; i < pieces.size(); i++) {
            Piece piece = pieces.get(i);
            if (piece instanceof Text text) {
                name.append(text.text());
            } else if (piece instanceof Expression expression) {
                name.append(Expressions.resolve(expression.expression()));
            } else {
                String text = NameParts.text(values[value++], description, piece.toString());
                Character delimiter = delimiter(i);
                name.append(delimiter == null ? text : NameParts.escape(text, delimiter));
            }
        }
        return name.toString();
    }

    /** Whether every call has the same name, known at build time. */
    public boolean constant() {
        return pieces.stream().allMatch(Text.class::isInstance);
    }

    /** The name, where it is {@link #constant}. */
    public String text() {
        return pieces.stream().map(piece -> ((Text) piece).text()).collect(Collectors.joining());
    }

    /**
     * An apparent parameter in another notation, in a template without parts: {@code #id}, {@code %s}, {@code :id}. Empty if
     * there is none.
     *
     * @param parameters those of the method; a {@code :} followed by something else is an ordinary separator
     */
    public Optional<String> foreignPart(Set<String> parameters) {
        return parts() > 0 ? Optional.empty()
                : pieces.stream().filter(Text.class::isInstance)
                        .flatMap(piece -> FOREIGN_PART.matcher(((Text) piece).text()).results())
                        .filter(found -> found.group(1) == null || parameters.contains(found.group(1)))
                        .map(MatchResult::group).findFirst();
    }

    /** @throws IllegalArgumentException that says what is wrong with the template */
    public static NameTemplate parse(String source) {
        return new Parser(source).parse();
    }

    private static final class Parser {

        private final String source;
        private final List<Piece> pieces = new ArrayList<>();
        private final StringBuilder text = new StringBuilder();
        private int at;

        Parser(String source) {
            this.source = source;
        }

        NameTemplate parse() {
            while (at < source.length()) {
                if (source.startsWith("{{", at) || source.startsWith("}}", at)) {
                    text.append(source.charAt(at));
                    at += 2;
                } else if (source.startsWith("${", at)) {
                    add(new Expression(source.substring(at, expressionEnd())));
                    at = expressionEnd();
                } else if (source.charAt(at) == '{') {
                    add(part());
                } else if (source.charAt(at) == '}') {
                    throw new IllegalArgumentException("'}' at " + at + " closes nothing; write '}}' for a brace in the name");
                } else {
                    text.append(source.charAt(at++));
                }
            }
            flush();
            return new NameTemplate(delimited());
        }

        /**
         * A part ends at the first unescaped character of the text that follows it; so there must be such a text, and that
         * character cannot be the escape character.
         */
        private List<Piece> delimited() {
            List<Piece> delimited = new ArrayList<>();
            int last = lastPart(pieces);
            for (int i = 0; i < pieces.size(); i++) {
                delimited.add(pieces.get(i));
                if (i < last && pieces.get(i) instanceof Part part) {
                    if (!(pieces.get(i + 1) instanceof Text follows)) {
                        delimited.add(SEPARATOR);
                    } else if (follows.text().charAt(0) == '\\') {
                        throw new IllegalArgumentException("there must not be a '\\' right after {" + part + "}");
                    }
                }
            }
            return List.copyOf(delimited);
        }

        private Part part() {
            int end = source.indexOf('}', at);
            if (end < 0) {
                throw unclosed();
            }
            String path = source.substring(at + 1, end);
            at = end + 1;
            List<String> segments = List.of(path.split("\\.", -1));
            for (String segment : segments) {
                if (!isIdentifier(segment)) {
                    throw new IllegalArgumentException("'{" + path + "}' is not a parameter with properties, such as {order.id}"
                            + "; write '{{' and '}}' for braces in the name");
                }
            }
            return new Part(segments);
        }

        private static boolean isIdentifier(String segment) {
            return !segment.isEmpty() && Character.isJavaIdentifierStart(segment.charAt(0))
                    && segment.chars().allMatch(Character::isJavaIdentifierPart);
        }

        /** Defaults of expressions can themselves be expressions, but have no parts. */
        private int expressionEnd() {
            int depth = 0;
            for (int i = at + 1; i < source.length(); i++) {
                if (source.charAt(i) == '{' && source.charAt(i - 1) != '$') {
                    throw new IllegalArgumentException("the '{' at " + i + " is in the expression at " + at
                            + ", in which no part is replaced; write the part outside of it, as in ${shop.tenant}-{id}");
                }
                depth += source.charAt(i) == '{' ? 1 : source.charAt(i) == '}' ? -1 : 0;
                if (depth == 0) {
                    return i + 1;
                }
            }
            throw unclosed();
        }

        private IllegalArgumentException unclosed() {
            return new IllegalArgumentException(
                    "the brace at " + at + " is not closed; write '{{' for a brace in the name");
        }

        private void add(Piece piece) {
            flush();
            pieces.add(piece);
        }

        private void flush() {
            if (!text.isEmpty()) {
                pieces.add(new Text(text.toString()));
                text.setLength(0);
            }
        }
    }
}
