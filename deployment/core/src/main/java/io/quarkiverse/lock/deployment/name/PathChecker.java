package io.quarkiverse.lock.deployment.name;

import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;
import org.jboss.jandex.Type;
import org.jboss.jandex.gizmo2.Jandex2Gizmo;

import io.quarkiverse.lock.deployment.index.Packages;
import io.quarkiverse.lock.deployment.index.ParameterNames;
import io.quarkiverse.lock.deployment.index.TypeBindings;
import io.quarkiverse.lock.name.NameTemplate;

/** Checks the parts of a template against the parameters of its method. Its exceptions say what is wrong and how to fix it. */
public final class PathChecker {

    private final IndexView index;
    private final MethodInfo method;
    private final TypeBindings bindings;

    /** @param beanClass the method's class or a subclass, which may bind its type variables */
    public PathChecker(IndexView index, ClassInfo beanClass, MethodInfo method) {
        this.index = index;
        this.method = method;
        this.bindings = TypeBindings.of(index, beanClass, method);
    }

    /** @throws IllegalArgumentException if the part cannot be read from the arguments */
    public PartPath check(NameTemplate.Part part) {
        List<String> path = part.path();
        int parameter = parameter(part);
        Type type = bindings.resolve(method.parameterType(parameter));
        List<PartPath.Step> steps = new ArrayList<>();
        for (int i = 1; i < path.size(); i++) {
            String before = String.join(".", path.subList(0, i));
            Properties properties = properties(part, before, type);
            Properties.Property property = properties.byName().get(path.get(i));
            if (property == null) {
                throw new IllegalArgumentException(in(part) + "'" + path.get(i) + "' is not a property of " + type + choices(
                        properties.byName().keySet()));
            }
            ClassInfo owner = properties.type();
            steps.add(new PartPath.Step(before, Jandex2Gizmo.classDescOf(owner), owner.isInterface(), property));
            type = property.type();
        }
        checkText(part, type);
        return new PartPath(part.toString(), parameter, List.copyOf(steps));
    }

    private int parameter(NameTemplate.Part part) {
        String wanted = part.path().get(0);
        List<String> names = new ArrayList<>();
        MethodInfo named = ParameterNames.where(index, method);
        for (int i = 0; i < named.parametersCount(); i++) {
            String name = named.parameterName(i);
            if (name == null) {
                throw new IllegalArgumentException(in(part)
                        + "the names of the method's parameters are not known; compile the class with -parameters");
            }
            names.add(name);
        }
        if (!names.contains(wanted)) {
            throw new IllegalArgumentException(in(part) + "'" + wanted + "' is not a parameter of the method" + choices(names));
        }
        return names.indexOf(wanted);
    }

    private Properties properties(NameTemplate.Part part, String path, Type type) {
        Properties properties = Properties.of(index, type);
        if (properties == null) {
            throw new IllegalArgumentException(in(part) + "'" + path + "' is of type " + type + ", which has no properties");
        }
        if (!accessible(properties.type())) {
            throw new IllegalArgumentException(in(part) + type + " is not public; make it so, or pass what is needed from it as"
                    + " a parameter");
        }
        return properties;
    }

    private boolean accessible(ClassInfo type) {
        return Modifier.isPublic(type.flags()) || Packages.same(type, method.declaringClass());
    }

    private void checkText(NameTemplate.Part part, Type type) {
        String problem = PartTexts.problem(index, type);
        if (problem != null) {
            Properties properties = Properties.of(index, type);
            throw new IllegalArgumentException(
                    in(part) + problem + choices(properties == null ? List.of() : properties.byName().keySet()));
        }
    }

    private static String in(NameTemplate.Part part) {
        return "{" + part + "}: ";
    }

    private static String choices(Collection<String> choices) {
        return choices.isEmpty() ? "; there is none" : "; there are: " + String.join(", ", choices);
    }
}
