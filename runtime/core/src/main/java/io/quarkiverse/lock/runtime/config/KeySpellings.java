package io.quarkiverse.lock.runtime.config;

import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;

import org.eclipse.microprofile.config.ConfigProvider;
import org.jspecify.annotations.Nullable;

import io.smallrye.config.NameIterator;

/**
 * How properties spell the keys of a map: with quotes or without. Both mean one key, but the configuration reads the properties
 * of only one of the two spellings.
 */
public final class KeySpellings {

    /** Of a map without keys. */
    static final KeySpellings NONE = new KeySpellings("");

    private final String prefix;
    private final Set<String> quoted = new HashSet<>();
    private final Set<String> plain = new HashSet<>();

    private KeySpellings(String prefix) {
        this.prefix = prefix;
    }

    /** @param prefix of the map, with a dot at its end */
    public static KeySpellings of(String prefix) {
        KeySpellings spellings = new KeySpellings(prefix);
        for (String property : ConfigProvider.getConfig().getPropertyNames()) {
            if (property.startsWith(prefix)) {
                NameIterator segments = new NameIterator(property, prefix.length() - 1);
                if (segments.hasNext()) {
                    (property.startsWith("\"", prefix.length()) ? spellings.quoted : spellings.plain)
                            .add(segments.getNextSegment());
                }
            }
        }
        return spellings;
    }

    /** The keys, in order. */
    public Set<String> keys() {
        Set<String> keys = new TreeSet<>(quoted);
        keys.addAll(plain);
        return keys;
    }

    boolean quoted(String key) {
        return quoted.contains(key);
    }

    boolean plain(String key) {
        return plain.contains(key);
    }

    /** What is wrong with a key that is spelled in both ways; {@code null} if it is not. */
    public @Nullable String problem(String key) {
        return quoted(key) && plain(key)
                ? prefix + '"' + key + "\".* and " + prefix + key
                        + ".* are two spellings of one key, and only those properties "
                        + "count that have one of the two: spell the key alike in all sources of configuration. In an "
                        + "environment variable, a quote is one more _"
                : null;
    }
}
