package io.quarkiverse.lock.deployment;

import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;
import org.jboss.jandex.Type;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.Locked.OnBusy;

/** Finds the method that stands in for one whose lock is busy. What it throws says what is wrong and what would do. */
final class FallbackFinder {

    private static final DotName BUSY = DotName.createSimple(LockBusyException.class);

    private final IndexView index;
    private final LockedCandidate candidate;

    FallbackFinder(IndexView index, LockedCandidate candidate) {
        this.index = index;
        this.candidate = candidate;
    }

    /**
     * {@code null} if there is to be none.
     *
     * @throws IllegalArgumentException if there is to be one, and none that fits
     */
    @Nullable
    MethodInfo find(OnBusy onBusy, String name) {
        if (onBusy != OnBusy.FALLBACK) {
            if (!name.isEmpty()) {
                throw new IllegalArgumentException("@Locked(fallbackMethod = \"" + name
                        + "\") is called only with onBusy = FALLBACK; add that, or remove it");
            }
            return null;
        }
        if (name.isEmpty()) {
            throw new IllegalArgumentException("@Locked(onBusy = FALLBACK) needs a fallbackMethod: the name of a method of "
                    + candidate.beanName() + " with the parameters " + signature());
        }
        List<MethodInfo> named = named(name);
        MethodInfo found = named.stream().filter(method -> fits(method, true)).findFirst()
                .or(() -> named.stream().filter(method -> fits(method, false)).findFirst())
                .orElseThrow(() -> problem(name, named.isEmpty()
                        ? candidate.beanName() + " has no method of this name; it needs the parameters " + signature()
                        : "the parameters must be " + signature() + "; there are: " + named.stream()
                                .map(FallbackFinder::text).collect(Collectors.joining(", "))));
        check(name, found);
        return found;
    }

    private void check(String name, MethodInfo found) {
        MethodInfo locked = candidate.method();
        if (Modifier.isPrivate(found.flags())) {
            throw problem(name, "it is private; make it package-private");
        }
        if (Modifier.isStatic(locked.flags()) && !Modifier.isStatic(found.flags())) {
            throw problem(name, "the locked method is static, so it must be static too");
        }
        Type returned = bindings(locked).resolve(locked.returnType());
        Type instead = bindings(found).resolve(found.returnType());
        if (!returned.name().equals(instead.name())) {
            throw problem(name, "it returns " + instead + " instead of " + returned);
        }
    }

    private IllegalArgumentException problem(String name, String text) {
        return new IllegalArgumentException("@Locked(fallbackMethod = \"" + name + "\"): " + text);
    }

    /** Of the bean's class and its parents, the nearest first; without what is overridden there. */
    private List<MethodInfo> named(String name) {
        List<MethodInfo> found = new ArrayList<>();
        ClassInfo type = candidate.beanClass();
        while (type != null) {
            for (MethodInfo method : type.methods()) {
                if (method.name().equals(name) && !method.isSynthetic() && !method.equals(candidate.method())) {
                    found.add(method);
                }
            }
            type = type.superName() == null ? null : index.getClassByName(type.superName());
        }
        return found;
    }

    private boolean fits(MethodInfo method, boolean withReason) {
        List<Type> wanted = parameters(candidate.method());
        List<Type> given = parameters(method);
        if (given.size() != wanted.size() + (withReason ? 1 : 0)) {
            return false;
        }
        for (int i = 0; i < wanted.size(); i++) {
            if (!given.get(i).name().equals(wanted.get(i).name())) {
                return false;
            }
        }
        return !withReason || given.get(wanted.size()).name().equals(BUSY);
    }

    private List<Type> parameters(MethodInfo method) {
        TypeBindings bindings = bindings(method);
        return method.parameterTypes().stream().map(bindings::resolve).toList();
    }

    private TypeBindings bindings(MethodInfo method) {
        return TypeBindings.of(index, candidate.beanClass(), method.declaringClass().name());
    }

    private String signature() {
        String parameters = parameters(candidate.method()).stream().map(Type::toString).collect(Collectors.joining(", "));
        return '(' + parameters + (parameters.isEmpty() ? "" : "[, ") + "LockBusyException"
                + (parameters.isEmpty() ? ") or ()" : "])");
    }

    private static String text(MethodInfo method) {
        return method.name() + method.parameterTypes().stream().map(Type::toString)
                .collect(Collectors.joining(", ", "(", ")"));
    }
}
