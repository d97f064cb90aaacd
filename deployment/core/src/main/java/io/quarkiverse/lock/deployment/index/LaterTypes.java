package io.quarkiverse.lock.deployment.index;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;

import io.quarkiverse.lock.runtime.call.LaterWork;

/** Types of asynchronous results, such as a {@code Uni} or a {@code Future}. */
public final class LaterTypes {

    private LaterTypes() {
    }

    /** Whether the type is one of them, or has one as a parent. */
    public static boolean include(IndexView index, DotName type) {
        Deque<DotName> open = new ArrayDeque<>(List.of(type));
        Set<DotName> seen = new HashSet<>();
        while (!open.isEmpty()) {
            DotName name = open.pop();
            if (LaterWork.TYPES.contains(name.toString())) {
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
