package io.quarkiverse.lock.deployment.name;

import java.lang.reflect.Modifier;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.RecordComponentInfo;
import org.jboss.jandex.Type;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.deployment.index.ClassChain;
import io.quarkiverse.lock.deployment.index.LaterTypes;
import io.quarkiverse.lock.deployment.index.TypeBindings;

/** Whether a part's value has the same text in each JVM: a name that differs locks nothing. */
public final class PartTexts {

    /** Their text consists of their elements' texts, also in subclasses with more elements. */
    private static final List<DotName> CONTAINERS = List.of(
            DotName.createSimple("java.util.Collection"),
            DotName.createSimple("java.util.Map"),
            DotName.createSimple("java.util.Map$Entry"),
            DotName.createSimple("java.util.Optional"),
            DotName.createSimple("java.util.concurrent.atomic.AtomicReference"),
            DotName.createSimple("java.util.concurrent.atomic.AtomicReferenceArray"));
    private static final DotName ITERABLE = DotName.createSimple(Iterable.class);
    private static final DotName TUPLES = DotName.createSimple("io.smallrye.mutiny.tuples");
    /** {@code Set.of} and {@code Map.of} have another order in each JVM; the order of hash tables depends on their history. */
    private static final List<DotName> IN_ANY_ORDER = List.of(
            DotName.createSimple("java.util.Set"),
            DotName.createSimple("java.util.Map"),
            DotName.createSimple("java.util.PriorityQueue"),
            DotName.createSimple("java.util.concurrent.PriorityBlockingQueue"),
            DotName.createSimple("java.util.concurrent.DelayQueue"));
    private static final List<DotName> IN_ONE_ORDER = List.of(
            DotName.createSimple("java.util.SortedSet"),
            DotName.createSimple("java.util.SortedMap"),
            DotName.createSimple("java.util.EnumSet"),
            DotName.createSimple("java.util.EnumMap"),
            DotName.createSimple("java.util.LinkedHashSet"),
            DotName.createSimple("java.util.concurrent.CopyOnWriteArraySet"),
            DotName.createSimple("java.util.SequencedSet"), // both since Java 21
            DotName.createSimple("java.util.SequencedMap"),
            DotName.createSimple("java.util.LinkedHashMap"));
    private static final String TIME_ZONE = "depends on the time zone of the JVM";
    private static final String LOOKED_UP = "depends on whether its host name has been looked up";
    private static final Map<DotName, String> OTHER_IN_EACH_JVM = Map.of(
            DotName.createSimple("java.util.Date"), TIME_ZONE,
            DotName.createSimple("java.util.Calendar"), TIME_ZONE,
            DotName.createSimple("java.net.InetAddress"), LOOKED_UP,
            DotName.createSimple("java.net.InetSocketAddress"), LOOKED_UP,
            DotName.createSimple("java.lang.Thread"), "differs from JVM to JVM",
            // it writes its identity
            DotName.createSimple("com.google.protobuf.ByteString"), "differs from object to object; pass the bytes as text");
    /** Abstract, and without a text of its own, unlike all actual classes of numbers. */
    private static final DotName NUMBER = DotName.createSimple(Number.class);

    private final IndexView index;
    private final Set<Type> seen = new HashSet<>();

    private PartTexts(IndexView index) {
        this.index = index;
    }

    /** What is wrong with the text of this type; {@code null} if no problem is known. */
    static @Nullable String problem(IndexView index, Type type) {
        return new PartTexts(index).problem(type);
    }

    private @Nullable String problem(Type type) {
        if (type.kind() == Type.Kind.ARRAY) {
            return noText(type);
        }
        ClassInfo declaration = type.kind() == Type.Kind.PRIMITIVE ? null : index.getClassByName(type.name());
        if (declaration == null || !seen.add(type)) {
            return null;
        }
        List<ClassInfo> classes = ClassChain.of(index, declaration);
        ClassInfo writer = classes.stream().filter(each -> each.method("toString") != null).findFirst().orElse(null);
        if (writer != null && writtenByTheCompiler(writer)) {
            return ofComponents(type, writer);
        }
        if (writer != null && TUPLES.equals(writer.name().packagePrefixName())) {
            return ofElements(type, declaration, writer.name());
        }
        if (writer != null && !ofTheJdk(writer) && !OTHER_IN_EACH_JVM.containsKey(writer.name())) {
            return null;
        }
        for (ClassInfo each : classes) {
            if (OTHER_IN_EACH_JVM.containsKey(each.name())) {
                return "the text of " + type + ' ' + OTHER_IN_EACH_JVM.get(each.name());
            }
        }
        if (LaterTypes.include(index, declaration.name())) {
            return "the text of " + type + " is not that of its result; pass the result";
        }
        if (writer == null && !dependsOnTheObject(declaration, classes)) {
            return noText(type)
                    + (Modifier.isAbstract(declaration.flags()) && !ofTheJdk(declaration)
                            ? "; declare it, abstract if it is for subclasses to write"
                            : "");
        }
        String problem = ofElements(type, declaration);
        return problem == null && isAny(IN_ANY_ORDER, type, declaration) && !isAny(IN_ONE_ORDER, type, declaration)
                ? "the text of " + type + " depends on the order of its elements, which differs from JVM to JVM; take a List, "
                        + "a SortedSet or a SortedMap"
                : problem;
    }

    /** The compiler makes it final; hardly anybody else does. */
    private static boolean writtenByTheCompiler(ClassInfo writer) {
        return writer.isRecord() && Modifier.isFinal(writer.method("toString").flags());
    }

    private @Nullable String ofComponents(Type type, ClassInfo declaration) {
        TypeBindings bindings = TypeBindings.of(declaration, type);
        for (RecordComponentInfo component : declaration.recordComponents()) {
            String problem = problem(bindings.resolve(component.type()));
            if (problem != null) {
                return "in " + type + ", " + problem;
            }
        }
        return null;
    }

    private boolean isAny(List<DotName> ancestors, Type type, ClassInfo declaration) {
        return ancestors.stream().anyMatch(each -> TypeBindings.of(index, declaration, type, each) != null);
    }

    private static boolean ofTheJdk(ClassInfo type) {
        return type.name().toString().startsWith("java.");
    }

    private static String noText(Type type) {
        return type + " has no toString() of its own, so its text differs each time";
    }

    /** True also where a parent is unknown, which may have a text. */
    private static boolean dependsOnTheObject(ClassInfo type, List<ClassInfo> classes) {
        return type.isInterface() || type.name().equals(NUMBER) || classes.isEmpty()
                || !classes.get(classes.size() - 1).superName().equals(DotName.OBJECT_NAME);
    }

    private @Nullable String ofElements(Type type, ClassInfo declaration) {
        for (DotName container : CONTAINERS) {
            String problem = ofElements(type, declaration, container);
            if (problem != null) {
                return problem;
            }
        }
        // a subtype of Iterable may be anything, such as a path made of names
        return declaration.name().equals(ITERABLE) ? ofElements(type, declaration, ITERABLE) : null;
    }

    private @Nullable String ofElements(Type type, ClassInfo declaration, DotName container) {
        TypeBindings elements = TypeBindings.of(index, declaration, type, container);
        if (elements != null) {
            for (Type element : elements.variables().values()) {
                String problem = problem(TypeBindings.NONE.resolve(element));
                if (problem != null) {
                    return "in " + type + ", " + problem;
                }
            }
        }
        return null;
    }
}
