package io.quarkiverse.lock.deployment.name;

import java.lang.constant.ClassDesc;
import java.lang.reflect.Modifier;
import java.util.Map;
import java.util.TreeMap;

import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.FieldInfo;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;
import org.jboss.jandex.PrimitiveType;
import org.jboss.jandex.Type;
import org.jboss.jandex.gizmo2.Jandex2Gizmo;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.deployment.index.LockDotNames;
import io.quarkiverse.lock.deployment.index.TypeBindings;
import io.quarkus.deployment.bean.JavaBeanUtil;

/**
 * What a template can read from a type: public getters, record components and public fields, inherited ones too. A getter wins
 * over a field, a subclass over its parents.
 */
public record Properties(ClassInfo type, Map<String, Property> byName) {

    /**
     * @param member the getter's or field's own name
     * @param raw its type in bytecode
     * @param type its type as seen from here
     * @param accessor the method that Hibernate adds to read a field of an entity, which is empty until loaded; {@code null}
     *        for none
     * @param loadedFirst whether the entity is loaded before the read of a field that Hibernate does not store, which has no
     *        accessor
     */
    record Property(String member, boolean field, ClassDesc raw, Type type, @Nullable String accessor, boolean loadedFirst) {
    }

    /** {@code null} if nothing is known about the type. */
    static @Nullable Properties of(IndexView index, Type type) {
        ClassInfo declaration = switch (type.kind()) {
            case CLASS, PARAMETERIZED_TYPE -> index.getClassByName(type.name());
            default -> null;
        };
        if (declaration == null) {
            return null;
        }
        Properties properties = new Properties(declaration, new TreeMap<>());
        properties.collect(index, declaration, TypeBindings.of(declaration, type));
        return properties;
    }

    private void collect(IndexView index, ClassInfo declaration, TypeBindings bindings) {
        for (MethodInfo method : declaration.methods()) {
            String name = propertyName(declaration, method);
            if (name != null) {
                // a field of the same name in a parent does not take precedence over the getter
                Property getter = new Property(method.name(), false, Jandex2Gizmo.classDescOf(method.returnType()),
                        bindings.resolve(method.returnType()), null, false);
                byName.merge(name, getter, (known, added) -> known.field() ? added : known);
            }
        }
        for (FieldInfo field : declaration.fields()) {
            if (Modifier.isPublic(field.flags()) && !Modifier.isStatic(field.flags()) && readable(declaration, field)) {
                boolean ofEntity = persistent(declaration);
                byName.putIfAbsent(field.name(), new Property(field.name(), true, Jandex2Gizmo.classDescOf(field.type()),
                        bindings.resolve(field.type()), ofEntity && stored(field) ? accessor(field) : null,
                        ofEntity && !stored(field) && index.getClassByName(LockDotNames.HIBERNATE) != null));
            }
        }
        collectParent(index, declaration.superClassType(), bindings);
        for (Type parent : declaration.interfaceTypes()) {
            collectParent(index, parent, bindings);
        }
    }

    private static boolean persistent(ClassInfo declaration) {
        return LockDotNames.PERSISTENT.stream().anyMatch(declaration::hasDeclaredAnnotation);
    }

    private static boolean stored(FieldInfo field) {
        return !field.hasDeclaredAnnotation(LockDotNames.TRANSIENT) && !Modifier.isTransient(field.flags());
    }

    /** Hibernate adds no accessor where Kotlin has its own, or where the class has a method of that name. */
    private static boolean readable(ClassInfo declaration, FieldInfo field) {
        return !persistent(declaration) || !stored(field) || !declaration.hasDeclaredAnnotation(LockDotNames.KOTLIN)
                && declaration.method(accessor(field)) == null;
    }

    private static String accessor(FieldInfo field) {
        return JavaBeanUtil.getGetterName(field.name(), field.type().name());
    }

    private void collectParent(IndexView index, @Nullable Type parent, TypeBindings bindings) {
        if (parent == null || parent.name().equals(DotName.OBJECT_NAME)) {
            return;
        }
        ClassInfo declaration = index.getClassByName(parent.name());
        if (declaration != null) {
            collect(index, declaration, TypeBindings.of(declaration, bindings.resolve(parent)));
        }
    }

    private static @Nullable String propertyName(ClassInfo declaration, MethodInfo method) {
        String name = method.name();
        if (!Modifier.isPublic(method.flags()) || Modifier.isStatic(method.flags()) || method.isBridge()
                || method.parametersCount() > 0 || method.returnType().kind() == Type.Kind.VOID) {
            return null;
        }
        if (declaration.isRecord() && declaration.recordComponent(name) != null) {
            return name;
        }
        if (name.startsWith("get") && name.length() > 3) {
            return decapitalized(name.substring(3));
        }
        boolean truth = method.returnType().equals(PrimitiveType.BOOLEAN);
        return truth && name.startsWith("is") && name.length() > 2 ? decapitalized(name.substring(2)) : null;
    }

    /** As in JavaBeans: {@code URL} stays. */
    private static String decapitalized(String name) {
        boolean acronym = name.length() > 1 && Character.isUpperCase(name.charAt(0)) && Character.isUpperCase(name.charAt(1));
        return acronym ? name : Character.toLowerCase(name.charAt(0)) + name.substring(1);
    }
}
