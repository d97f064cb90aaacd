package io.quarkiverse.lock.deployment.index;

import java.util.ArrayList;
import java.util.List;

import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;

/** A class and its parents. */
public final class ClassChain {

    private ClassChain() {
    }

    /** Nearest first, as far as known, without {@code Object}. */
    public static List<ClassInfo> of(IndexView index, ClassInfo type) {
        List<ClassInfo> classes = new ArrayList<>();
        for (ClassInfo each = type; each != null
                && !each.name().equals(DotName.OBJECT_NAME); each = index.getClassByName(each.superName())) {
            classes.add(each);
        }
        return classes;
    }
}
