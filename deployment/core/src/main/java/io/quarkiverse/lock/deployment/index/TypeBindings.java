package io.quarkiverse.lock.deployment.index;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jboss.jandex.ArrayType;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.ClassType;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;
import org.jboss.jandex.ParameterizedType;
import org.jboss.jandex.Type;
import org.jboss.jandex.TypeVariable;
import org.jspecify.annotations.Nullable;

/** What the type variables of a class stand for, as seen from where it is used. */
public record TypeBindings(Map<String, Type> variables) {

    public static final TypeBindings NONE = new TypeBindings(Map.of());

    /** The bindings of a class used as {@code type}. */
    public static TypeBindings of(ClassInfo declaration, Type type) {
        if (type.kind() != Type.Kind.PARAMETERIZED_TYPE) {
            return NONE;
        }
        List<TypeVariable> names = declaration.typeParameters();
        List<Type> arguments = type.asParameterizedType().arguments();
        Map<String, Type> variables = new HashMap<>();
        for (int i = 0; i < names.size() && i < arguments.size(); i++) {
            // an unbounded wildcard says less than the bound of its type variable
            if (!arguments.get(i).name().equals(DotName.OBJECT_NAME) || names.get(i).name().equals(DotName.OBJECT_NAME)) {
                variables.put(names.get(i).identifier(), arguments.get(i));
            }
        }
        return new TypeBindings(variables);
    }

    /**
     * The bindings of {@code ancestor}, a class or an interface, seen from the class {@code from}; {@link #NONE} if it is not
     * an ancestor.
     */
    public static TypeBindings of(IndexView index, ClassInfo from, DotName ancestor) {
        TypeBindings found = search(index, from, NONE, ancestor);
        return found == null ? NONE : found;
    }

    /**
     * The bindings of a method of the class {@code from} or of an ancestor; the method's own variables hide those of its class.
     */
    public static TypeBindings of(IndexView index, ClassInfo from, MethodInfo method) {
        TypeBindings ofClass = of(index, from, method.declaringClass().name());
        if (method.typeParameters().isEmpty()) {
            return ofClass;
        }
        Map<String, Type> variables = new HashMap<>(ofClass.variables);
        method.typeParameters().forEach(own -> variables.remove(own.identifier()));
        return new TypeBindings(variables);
    }

    /** The parameters of such a method, with type variables replaced by what they stand for. */
    public static List<DotName> parameters(IndexView index, ClassInfo from, MethodInfo method) {
        TypeBindings bindings = of(index, from, method);
        return method.parameterTypes().stream().map(bindings::resolve).map(Type::name).toList();
    }

    /**
     * The bindings of {@code ancestor}, seen from a use of the class {@code from} as {@code type}; {@code null} if it is not an
     * ancestor.
     */
    public static @Nullable TypeBindings of(IndexView index, ClassInfo from, Type type, DotName ancestor) {
        return search(index, from, of(from, type), ancestor);
    }

    private static @Nullable TypeBindings search(IndexView index, ClassInfo from, TypeBindings seen, DotName ancestor) {
        if (from.name().equals(ancestor)) {
            return seen;
        }
        List<Type> parents = new ArrayList<>(from.interfaceTypes());
        if (from.superClassType() != null) {
            parents.add(0, from.superClassType());
        }
        for (Type parent : parents) {
            ClassInfo declaration = index.getClassByName(parent.name());
            TypeBindings found = declaration == null ? null
                    : search(index, declaration, of(declaration, seen.resolve(parent)), ancestor);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    /** The type with variables replaced by what they stand for, or by their bounds. */
    public Type resolve(Type type) {
        return switch (type.kind()) {
            case TYPE_VARIABLE -> {
                TypeVariable variable = type.asTypeVariable();
                Type bound = variables.get(variable.identifier());
                if (bound != null) {
                    yield NONE.resolve(bound);
                }
                yield variable.bounds().isEmpty() ? ClassType.create(type.name())
                        : inBound(variable).resolve(variable.bounds().get(0));
            }
            case WILDCARD_TYPE -> resolve(type.asWildcardType().extendsBound());
            case PARAMETERIZED_TYPE -> {
                ParameterizedType generic = type.asParameterizedType();
                Type[] arguments = generic.arguments().stream().map(this::resolve).toArray(Type[]::new);
                yield ParameterizedType.create(generic.name(), arguments, null);
            }
            case ARRAY -> {
                ArrayType array = type.asArrayType();
                yield ArrayType.create(resolve(array.constituent()), array.dimensions());
            }
            case TYPE_VARIABLE_REFERENCE, UNRESOLVED_TYPE_VARIABLE -> ClassType.create(type.name());
            default -> type;
        };
    }

    /** Prevents endless recursion for a variable that occurs in its own bound, as in {@code T extends Comparable<T>}. */
    private TypeBindings inBound(TypeVariable variable) {
        Map<String, Type> inBound = new HashMap<>(variables);
        inBound.put(variable.identifier(), ClassType.create(variable.name()));
        return new TypeBindings(inBound);
    }
}
