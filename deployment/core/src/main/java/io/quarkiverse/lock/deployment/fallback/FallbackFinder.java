package io.quarkiverse.lock.deployment.fallback;

import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;
import org.jboss.jandex.Type;
import org.jboss.jandex.Type.Kind;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.Locked.OnBusy;
import io.quarkiverse.lock.deployment.index.Packages;
import io.quarkiverse.lock.deployment.index.TypeBindings;
import io.quarkiverse.lock.deployment.method.LockedCandidate;

/** Finds the method that replaces one whose lock is busy. Its exceptions say what is wrong and how to fix it. */
public final class FallbackFinder {

    private static final DotName BUSY = DotName.createSimple(LockBusyException.class);

    private final IndexView index;
    private final LockedCandidate candidate;

    public FallbackFinder(IndexView index, LockedCandidate candidate) {
        this.index = index;
        this.candidate = candidate;
    }

    /**
     * {@code null} if no fallback is wanted.
     *
     * @throws IllegalArgumentException if a fallback is wanted, and none fits
     */
    @Nullable
    public MethodInfo find(OnBusy onBusy, String name) {
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
        if (!same(locked.returnType(), bindings(locked), found.returnType(), bindings(found))) {
            throw problem(name, "it returns " + bindings(found).resolve(found.returnType()) + " instead of "
                    + bindings(locked).resolve(locked.returnType()));
        }
    }

    /** Compares type arguments too. Absent ones are not checked, and a wildcard in the wanted type accepts any. */
    private static boolean same(Type wanted, TypeBindings ofWanted, Type given, TypeBindings ofGiven) {
        if (wanted.kind() == Kind.WILDCARD_TYPE) {
            return true;
        }
        if (given.kind() == Kind.WILDCARD_TYPE) {
            return false;
        }
        Type one = wanted.kind() == Kind.TYPE_VARIABLE ? ofWanted.resolve(wanted) : wanted;
        Type other = given.kind() == Kind.TYPE_VARIABLE ? ofGiven.resolve(given) : given;
        if (!one.name().equals(other.name())) {
            return false;
        }
        if (one.kind() == Kind.ARRAY && other.kind() == Kind.ARRAY) {
            return same(one.asArrayType().elementType(), ofWanted, other.asArrayType().elementType(), ofGiven);
        }
        if (one.kind() != Kind.PARAMETERIZED_TYPE || other.kind() != Kind.PARAMETERIZED_TYPE) {
            return true;
        }
        List<Type> arguments = one.asParameterizedType().arguments();
        List<Type> others = other.asParameterizedType().arguments();
        for (int i = 0; i < arguments.size(); i++) {
            if (!same(arguments.get(i), ofWanted, others.get(i), ofGiven)) {
                return false;
            }
        }
        return true;
    }

    private IllegalArgumentException problem(String name, String text) {
        return new IllegalArgumentException("@Locked(fallbackMethod = \"" + name + "\"): " + text);
    }

    /** The methods of the bean's class and its parents, nearest first, without overridden ones. */
    private List<MethodInfo> named(String name) {
        List<MethodInfo> found = new ArrayList<>();
        ClassInfo type = candidate.beanClass();
        while (type != null) {
            for (MethodInfo method : type.methods()) {
                if (method.name().equals(name) && !method.isSynthetic() && !method.equals(candidate.method())
                        && !overridden(method)) {
                    found.add(method);
                }
            }
            type = type.superName() == null ? null : index.getClassByName(type.superName());
        }
        return found;
    }

    /** Whether the locked method overrides it, so that a call of it would only call the locked method again. */
    private boolean overridden(MethodInfo method) {
        MethodInfo locked = candidate.method();
        return method.name().equals(locked.name()) && !method.declaringClass().name().equals(locked.declaringClass().name())
                && !Modifier.isPrivate(method.flags()) && !Modifier.isStatic(method.flags())
                && Packages.opens(method, locked.declaringClass()) && fits(method, false);
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
        return TypeBindings.of(index, candidate.beanClass(), method);
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
