package io.quarkiverse.lock.name;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Calendar;
import java.util.Collection;
import java.util.Date;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

import io.quarkus.arc.ClientProxy;
import io.smallrye.mutiny.tuples.Tuple;

/**
 * Whether a value has the same text in every JVM. The build has checked this for the declared type, which may reveal less than
 * the value.
 */
final class ValueTexts {

    /**
     * Collections and maps of the JDK with a fixed order, and their views, such as a map's key set. Others may be views of hash
     * tables.
     */
    private static final List<String> IN_ONE_ORDER = List.of("java.util.LinkedHash", "java.util.Tree", "java.util.Enum",
            "java.util.RegularEnumSet", "java.util.JumboEnumSet", "java.util.concurrent.CopyOnWriteArraySet",
            "java.util.concurrent.ConcurrentSkipList", "java.util.Collections$UnmodifiableSequenced",
            "java.util.Collections$AsLIFOQueue", "java.util.concurrent.ArrayBlockingQueue",
            "java.util.concurrent.ConcurrentLinkedQueue", "java.util.concurrent.LinkedBlockingQueue",
            "java.util.concurrent.LinkedTransferQueue");
    /** What {@code Object} writes, with the name of a class in a package; libraries add the fields. */
    private static final Pattern OF_SOME_OBJECT = Pattern.compile("(?:[\\w$]+\\.)+[\\w$]+@[0-9a-f]{1,8}(?![\\w.-])");

    private ValueTexts() {
    }

    /** What is wrong with the value's text, beginning with its class; {@code null} if no problem is known. */
    static @Nullable String problem(Object value, String text) {
        String problem = ofItself(value, text);
        return problem == null ? ofHeld(value, text) : problem;
    }

    private static @Nullable String ofItself(Object value, String text) {
        if (ofTheObject(ClientProxy.unwrap(value), text)) {
            return ClientProxy.unwrap(value).getClass()
                    + ", whose toString() is that of Object or contains the object's identity, so its text differs each time";
        }
        if (value instanceof Thread && (text.startsWith("Thread[") || text.startsWith("VirtualThread["))) {
            return value.getClass() + ", whose text differs from JVM to JVM";
        }
        if (!value.getClass().getName().startsWith("java.")) {
            return null;
        }
        if (value instanceof Date || value instanceof Calendar) {
            return value.getClass() + ", whose text depends on the time zone of the JVM";
        }
        if (value instanceof InetAddress || value instanceof InetSocketAddress) {
            return value.getClass() + ", whose text depends on whether its host name has been looked up";
        }
        if (value instanceof Map<?, ?> map) {
            return inAnyOrder(map, map.size());
        }
        return value instanceof Collection<?> collection ? inAnyOrder(collection, collection.size()) : null;
    }

    /** Checks what the value contains; not every {@code Iterable}, since a path consists of paths. */
    private static @Nullable String ofHeld(Object value, String text) {
        if (value instanceof Map<?, ?> map) {
            String problem = ofElements(map.keySet(), text);
            return problem == null ? ofElements(map.values(), text) : problem;
        }
        if (value instanceof Collection<?> collection) {
            return ofElements(collection, text);
        }
        if (value instanceof Map.Entry<?, ?> entry) {
            String problem = ofElement(entry.getKey(), text);
            return problem == null ? ofElement(entry.getValue(), text) : problem;
        }
        if (value instanceof Optional<?> optional) {
            return ofElement(optional.orElse(null), text);
        }
        if (value instanceof Tuple tuple) {
            return ofElements(tuple.asList(), text);
        }
        if (value instanceof AtomicReferenceArray<?> array) {
            return ofElements(IntStream.range(0, array.length()).mapToObj(array::get).toList(), text);
        }
        return value instanceof AtomicReference<?> reference ? ofReferent(reference.get(), text) : null;
    }

    /**
     * Whether the text is that of {@code Object}, or identifies the object like it. Compares texts, since a native executable
     * lacks reflection.
     */
    private static boolean ofTheObject(Object value, String text) {
        int at = text.indexOf('@');
        if (at < 0) {
            return false;
        }
        // Hibernate's proxy has the text of its entity, whose identity is not known here, nor which subclass it is of
        if (value.getClass().getName().contains("$HibernateProxy") && OF_SOME_OBJECT.matcher(text).lookingAt()) {
            return true;
        }
        for (Class<?> type = value.getClass(); type != null; type = type.getSuperclass()) {
            // a class may have a hash code of its own, with which Object writes its text
            if (at == type.getName().length() && text.startsWith(type.getName()) && follows(value.hashCode(), text, at + 1)) {
                return true;
            }
        }
        // a class may write its identity anywhere, as protobuf's ByteString does: "<ByteString@1b2c3d size=2 ...>"
        int identity = System.identityHashCode(value);
        for (; at >= 0; at = text.indexOf('@', at + 1)) {
            if (follows(identity, text, at + 1)) {
                return true;
            }
        }
        return false;
    }

    private static boolean follows(int hashCode, String text, int begin) {
        String hash = Integer.toHexString(hashCode);
        int end = begin + hash.length();
        return text.startsWith(hash, begin) && (text.length() == end || !Character.isLetterOrDigit(text.charAt(end)));
    }

    private static @Nullable String inAnyOrder(Object value, int size) {
        boolean ordered = value instanceof List || value instanceof Deque || value instanceof SortedSet
                || value instanceof SortedMap || startsWithAny(value.getClass().getName(), IN_ONE_ORDER);
        return !ordered && size > 1
                ? value.getClass() + ", whose text depends on the order of its elements, which may differ from JVM to JVM; "
                        + "pass a List"
                : null;
    }

    private static boolean startsWithAny(String type, List<String> beginnings) {
        for (String beginning : beginnings) {
            if (type.startsWith(beginning)) {
                return true;
            }
        }
        return false;
    }

    private static @Nullable String ofElements(Iterable<?> elements, String text) {
        for (Object element : elements) {
            String problem = ofElement(element, text);
            if (problem != null) {
                return problem;
            }
        }
        return null;
    }

    private static @Nullable String ofElement(@Nullable Object element, String whole) {
        String text = textIn(whole, element);
        if (text == null) {
            return null;
        }
        // an element whose text is the whole text may contain the whole again, as a list that contains itself does
        return text.length() < whole.length() ? problem(element, text) : ofItself(element, text);
    }

    /** A reference has the text of what it refers to. */
    private static @Nullable String ofReferent(@Nullable Object referent, String whole) {
        String text = textIn(whole, referent);
        return text == null ? null : problem(referent, text);
    }

    /** The text of an element as it appears in the whole text; {@code null} if there is nothing to judge. */
    private static @Nullable String textIn(String whole, @Nullable Object element) {
        if (element == null || element instanceof String) {
            return null;
        }
        String text = element.toString();
        return text != null && whole.contains(text) ? text : null;
    }
}
