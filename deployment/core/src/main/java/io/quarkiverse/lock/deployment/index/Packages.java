package io.quarkiverse.lock.deployment.index;

import java.lang.reflect.Modifier;
import java.util.Objects;

import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.MethodInfo;

/** What classes of one package may use of each other, and others may not. */
public final class Packages {

    private Packages() {
    }

    /** Also for classes without a package. */
    public static boolean same(ClassInfo one, ClassInfo other) {
        return Objects.equals(one.name().packagePrefix(), other.name().packagePrefix());
    }

    /** Whether a subclass may override the method, unless that is private. */
    public static boolean opens(MethodInfo method, ClassInfo subclass) {
        return Modifier.isPublic(method.flags()) || Modifier.isProtected(method.flags())
                || same(method.declaringClass(), subclass);
    }
}
