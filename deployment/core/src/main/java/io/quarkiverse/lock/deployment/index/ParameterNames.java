package io.quarkiverse.lock.deployment.index;

import java.util.List;

import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;
import org.jboss.jandex.Type;
import org.jspecify.annotations.Nullable;

/** A generated class, such as a REST client's, has no parameter names; the interface it implements has them. */
public final class ParameterNames {

    private ParameterNames() {
    }

    /** The method itself, or the one it implements, if only that one has names. */
    public static MethodInfo where(IndexView index, MethodInfo method) {
        if (method.parametersCount() == 0 || method.parameterName(0) != null) {
            return method;
        }
        MethodInfo implemented = inInterfaces(index, method.declaringClass(), method);
        return implemented == null ? method : implemented;
    }

    private static @Nullable MethodInfo inInterfaces(IndexView index, ClassInfo type, MethodInfo method) {
        for (DotName name : type.interfaceNames()) {
            ClassInfo each = index.getClassByName(name);
            MethodInfo found = each == null ? null : in(index, each, method);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private static @Nullable MethodInfo in(IndexView index, ClassInfo type, MethodInfo method) {
        for (MethodInfo each : type.methods()) {
            if (each.name().equals(method.name()) && types(each).equals(types(method)) && each.parameterName(0) != null) {
                return each;
            }
        }
        return inInterfaces(index, type, method);
    }

    private static List<DotName> types(MethodInfo method) {
        return method.parameterTypes().stream().map(Type::name).toList();
    }
}
