package io.quarkiverse.lock.deployment.method;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationTarget;
import org.jboss.jandex.AnnotationValue;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.MethodInfo;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.deployment.index.LockDotNames;
import io.quarkiverse.lock.name.Expressions;
import io.quarkiverse.lock.runtime.config.Durations;
import io.quarkiverse.lock.runtime.method.Interception;
import io.quarkiverse.lock.runtime.method.ReturnKind;
import io.quarkiverse.lock.runtime.method.TransactionKind;
import io.quarkiverse.lock.runtime.method.ValidationKind;

/**
 * A method for which the interceptor is called.
 *
 * @param beanClass the method's class, or its subclass that is the bean or that an interception proxy represents
 * @param home the name given to the bean's class: its own, or that of the interface it was generated for
 * @param locked the effective annotation, wherever it is
 * @param rivals annotations of equal precedence that say something else
 * @param bindings of all the method's interceptors
 * @param interception what calls the interceptor
 * @param producer for messages: what passes the object through an interception proxy; {@code null} if it is a bean
 */
public record LockedCandidate(ClassInfo beanClass, DotName home, MethodInfo method, AnnotationInstance locked,
        List<AnnotationInstance> rivals, Set<DotName> bindings, Interception interception, @Nullable String producer) {

    static LockedCandidate of(ClassInfo beanClass, DotName home, MethodInfo method, List<AnnotationInstance> locked,
            Set<AnnotationInstance> bindings, @Nullable String producer) {
        return new LockedCandidate(beanClass, home, method, locked.get(0), locked.subList(1, locked.size()),
                bindings.stream().map(AnnotationInstance::name).collect(Collectors.toUnmodifiableSet()),
                producer == null ? Interception.BEAN : Interception.PROXY, producer);
    }

    /** Whether the two annotations say the same. */
    public boolean lockedAs(LockedCandidate other) {
        return locked.equivalentTo(other.locked) && rivals.isEmpty() && other.rivals.isEmpty();
    }

    /** Whether only the producer distinguishes the two. */
    boolean sameAs(LockedCandidate other) {
        return beanName().equals(other.beanName()) && method.equals(other.method) && lockedAs(other)
                && bindings.equals(other.bindings);
    }

    LockedCandidate with(Interception interception) {
        return new LockedCandidate(beanClass, home, method, locked, rivals, bindings, interception, producer);
    }

    /** Hibernate Reactive ignores methods that return anything but a {@code Uni}. */
    public TransactionKind transaction(ReturnKind returns) {
        if (returns == ReturnKind.UNI && !Collections.disjoint(bindings, LockDotNames.WITH_SESSION)) {
            return TransactionKind.REACTIVE;
        }
        return bindings.contains(LockDotNames.TRANSACTIONAL) ? TransactionKind.JTA : TransactionKind.NONE;
    }

    /** Whether the method's bindings ask for a session, but Hibernate Reactive ignores them. */
    public boolean sessionInVain(ReturnKind returns) {
        return (returns == ReturnKind.MULTI || returns == ReturnKind.COMPLETION_STAGE)
                && !Collections.disjoint(bindings, LockDotNames.WITH_SESSION);
    }

    /** @param restClassic whether endpoints are those of RESTEasy Classic, which has its own answers */
    public ValidationKind validation(boolean restClassic) {
        if (bindings.contains(LockDotNames.ENDPOINT_VALIDATED)) {
            return restClassic ? ValidationKind.NONE : ValidationKind.ENDPOINT;
        }
        return bindings.contains(LockDotNames.METHOD_VALIDATED) ? ValidationKind.METHOD : ValidationKind.NONE;
    }

    /** Whether the lock is on the class, and so on a method, too, that the class only inherits. */
    public boolean inherited() {
        return ofClass() && !method.declaringClass().name().equals(beanName());
    }

    /** Whether the lock is on the class, and so on each of its methods. */
    public boolean ofClass() {
        AnnotationTarget place = locked.target();
        return place != null && place.kind() == AnnotationTarget.Kind.CLASS
                && !method.hasDeclaredAnnotation(place.asClass().name()); // a binding that carries the lock
    }

    public DotName beanName() {
        return beanClass.name();
    }

    /** {@code Class.method} with the class's full name. */
    public String description() {
        return home.toString() + '.' + method.name();
    }

    public String string(String member) {
        AnnotationValue value = locked.value(member);
        return value == null ? "" : value.asString();
    }

    /** Whether its name stays taken for some time; what an expression says is known only later. */
    public boolean holdsAtLeast() {
        return lasts("holdAtLeast");
    }

    /** Whether the JVM may keep it for some time; what an expression says is known only later. */
    public boolean lingers() {
        return lasts("linger");
    }

    private boolean lasts(String member) {
        String text = string(member);
        try {
            return !text.isEmpty() && (Expressions.in(text) || !Durations.parse(text).isZero());
        } catch (IllegalArgumentException e) {
            return true; // reported separately
        }
    }

    /** 0 if absent. */
    public int number(String member) {
        AnnotationValue value = locked.value(member);
        return value == null ? 0 : value.asInt();
    }

    /**
     * The templates as written; none if the lock has the method's own name. An empty template counts as none, since that was
     * the annotation's original default.
     */
    public List<String> templates() {
        AnnotationValue value = locked.value("value");
        return value == null ? List.of() : Arrays.stream(value.asStringArray()).filter(text -> !text.isEmpty()).toList();
    }

    /** Whether one of several names is missing. */
    public boolean lacksTemplate() {
        AnnotationValue value = locked.value("value");
        return value != null && value.asStringArray().length > 1 && templates().size() < value.asStringArray().length;
    }

    public <E extends Enum<E>> E constant(String member, Class<E> type, E standard) {
        AnnotationValue value = locked.value(member);
        return value == null ? standard : Enum.valueOf(type, value.asEnum());
    }

    public LockDefinitionException problem(String text) {
        return new LockDefinitionException(home, method.name(), text);
    }
}
