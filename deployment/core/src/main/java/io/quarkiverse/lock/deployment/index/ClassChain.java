package io.quarkiverse.lock.deployment.index;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;

/** A class and its parents. */
public final class ClassChain {

    private ClassChain() {
    }

    /** Nearest first, as far as known, without {@code Object}. */
    public static List<ClassInfo> of(IndexView index, ClassInfo type) {
        List<ClassInfo> classes = new ArrayList<>();
        for (ClassInfo each = type; each != null
                && !each.name().equals(DotName.OBJECT_NAME); each = index.getClassByName(each.superName())) {
            classes.add(each);
        }
        return classes;
    }

    /** A class, its parents as in {@link #of}, and then the interfaces of all of them. */
    public static Map<DotName, ClassInfo> withInterfaces(IndexView index, ClassInfo type) {
        Map<DotName, ClassInfo> types = new LinkedHashMap<>();
        of(index, type).forEach(each -> types.put(each.name(), each));
        Deque<ClassInfo> open = new ArrayDeque<>(types.values());
        while (!open.isEmpty()) {
            for (DotName name : open.pop().interfaceNames()) {
                ClassInfo parent = types.containsKey(name) ? null : index.getClassByName(name);
                if (parent != null) {
                    types.put(name, parent);
                    open.add(parent);
                }
            }
        }
        return types;
    }

    /** Whether the type is one of those, or has one as a parent or an interface, as far as known. */
    public static boolean leadsToOneOf(IndexView index, DotName type, Set<String> wanted) {
        Deque<DotName> open = new ArrayDeque<>(List.of(type));
        Set<DotName> seen = new HashSet<>();
        while (!open.isEmpty()) {
            DotName name = open.pop();
            if (wanted.contains(name.toString())) {
                return true;
            }
            ClassInfo declaration = seen.add(name) ? index.getClassByName(name) : null;
            if (declaration != null) {
                open.addAll(declaration.interfaceNames());
                if (declaration.superName() != null) {
                    open.add(declaration.superName());
                }
            }
        }
        return false;
    }
}
