package io.quarkiverse.lock.deployment.index;

import java.lang.reflect.Modifier;

import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;

import io.quarkus.arc.deployment.BuildExclusionsBuildItem;
import io.quarkus.arc.deployment.CustomScopeAnnotationsBuildItem;
import io.quarkus.deployment.builditem.ApplicationArchivesBuildItem;

/** Which classes are the application's own, and which of these it leaves out of this build. */
public record ApplicationClasses(ApplicationArchivesBuildItem archives, BuildExclusionsBuildItem exclusions,
        CustomScopeAnnotationsBuildItem scopes) {

    private static final DotName INJECT = DotName.createSimple("jakarta.inject.Inject");
    private static final DotName VETOED = DotName.createSimple("jakarta.enterprise.inject.Vetoed");

    public boolean ofApplication(DotName type) {
        return archives.getRootArchive().getIndex().getClassByName(type) != null;
    }

    /** Whether it belongs to the application or an indexed library. */
    public boolean knows(DotName type) {
        return archives.containingArchive(type) != null;
    }

    /**
     * Whether somebody has excluded the class as a bean: by a condition ({@code @IfBuildProfile}), or despite its scope
     * ({@code quarkus.arc.exclude-types}, {@code @Vetoed}). To be asked only about classes that are not beans.
     */
    public boolean leftOut(ClassInfo type) {
        return exclusions.isExcluded(type)
                || scopes.isScopeDeclaredOn(type) && !Modifier.isAbstract(type.flags())
                        && !inner(type) && !cannotBeMade(type);
    }

    /** Whether the container cannot tell which constructor to use, and so makes no bean of the class. */
    public static boolean cannotBeMade(ClassInfo type) {
        return !type.hasNoArgsConstructor() && type.constructors().size() > 1
                && type.constructors().stream().noneMatch(constructor -> constructor.hasDeclaredAnnotation(INJECT))
                && !type.hasDeclaredAnnotation(VETOED);
    }

    /** Such a class is never a bean. */
    private static boolean inner(ClassInfo type) {
        return type.nestingType() != ClassInfo.NestingType.TOP_LEVEL && !Modifier.isStatic(type.flags());
    }
}
