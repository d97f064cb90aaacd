package io.quarkiverse.lock.deployment;

import java.util.Arrays;
import java.util.List;
import java.util.Set;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationValue;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.MethodInfo;

/**
 * A method that the interceptor is called for.
 *
 * @param beanClass the method's class, or the subclass of it that is the bean
 * @param locked the annotation that counts, wherever it stands
 * @param transactional whether the method also begins a transaction
 */
record LockedCandidate(ClassInfo beanClass, MethodInfo method, AnnotationInstance locked, boolean transactional) {

    static LockedCandidate of(ClassInfo beanClass, MethodInfo method, AnnotationInstance locked,
            Set<AnnotationInstance> bindings) {
        boolean transactional = bindings.stream().map(AnnotationInstance::name)
                .anyMatch(Set.of(LockDotNames.TRANSACTIONAL, LockDotNames.WITH_TRANSACTION)::contains);
        return new LockedCandidate(beanClass, method, locked, transactional);
    }

    DotName beanName() {
        return beanClass.name();
    }

    /** {@code Class.method} with the class's full name. */
    String description() {
        return beanName().toString() + '.' + method.name();
    }

    String string(String member) {
        AnnotationValue value = locked.value(member);
        return value == null ? "" : value.asString();
    }

    /** 0 if it is not there. */
    int number(String member) {
        AnnotationValue value = locked.value(member);
        return value == null ? 0 : value.asInt();
    }

    /** The templates as written; none for the method's own name. An empty one is none: that is how the annotation began. */
    List<String> templates() {
        AnnotationValue value = locked.value("value");
        return value == null ? List.of() : Arrays.stream(value.asStringArray()).filter(text -> !text.isEmpty()).toList();
    }

    /** Whether a name is missing where there are several. */
    boolean lacksTemplate() {
        AnnotationValue value = locked.value("value");
        return value != null && value.asStringArray().length > 1 && templates().size() < value.asStringArray().length;
    }

    <E extends Enum<E>> E constant(String member, Class<E> type, E standard) {
        AnnotationValue value = locked.value(member);
        return value == null ? standard : Enum.valueOf(type, value.asEnum());
    }

    LockDefinitionException problem(String text) {
        return new LockDefinitionException(beanName(), method.name(), text);
    }
}
