package io.quarkiverse.lock.deployment.rule;

import java.lang.annotation.Inherited;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationTarget;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.deployment.index.ApplicationClasses;
import io.quarkiverse.lock.deployment.index.LockDotNames;
import io.quarkiverse.lock.deployment.index.Packages;
import io.quarkiverse.lock.deployment.index.TypeBindings;
import io.quarkiverse.lock.deployment.method.LockDefinitionException;
import io.quarkiverse.lock.deployment.method.LockedBeans;
import io.quarkiverse.lock.deployment.method.LockedBeans.LockedBean;

/**
 * Finds annotations that lock nothing: the container does not intercept the calls they are meant for. Checks each bean
 * separately, since one may override what another inherits.
 */
public final class LockedInVain {

    private static final Set<DotName> LIFECYCLE = Set.of(
            DotName.createSimple("jakarta.annotation.PostConstruct"),
            DotName.createSimple("jakarta.annotation.PreDestroy"),
            DotName.createSimple("jakarta.interceptor.AroundInvoke"),
            DotName.createSimple("jakarta.interceptor.AroundConstruct"),
            DotName.createSimple("jakarta.inject.Inject")); // an initializer: called before interceptors exist
    private static final DotName DECORATOR = DotName.createSimple("jakarta.decorator.Decorator");
    private static final DotName INTERCEPTOR = DotName.createSimple("jakarta.interceptor.Interceptor");
    private static final DotName INHERITED = DotName.createSimple(Inherited.class);
    private static final DotName STEREOTYPE = DotName.createSimple("jakarta.enterprise.inject.Stereotype");

    private final IndexView index;
    private final LockedBeans beans;
    private final ApplicationClasses classes;
    private final Set<String> statics;
    private final Set<DotName> lookedInto;
    private final boolean test;
    /** The annotation itself, and the annotations that carry it and so lock as well. */
    private final Set<DotName> locking = new HashSet<>(Set.of(LockDotNames.LOCKED));
    private final List<LockDefinitionException> problems = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();

    /**
     * @param index of all classes
     * @param statics the {@link #key} of each static method that is intercepted for {@code @Locked}
     * @param lookedInto annotations whose own annotations apply to what they annotate: stereotypes, interceptor bindings
     * @param test whether alternatives may lock nothing, because they are mocks
     */
    public LockedInVain(IndexView index, LockedBeans beans, ApplicationClasses classes, Set<String> statics,
            Set<DotName> lookedInto, boolean test) {
        this.index = index;
        this.beans = beans;
        this.classes = classes;
        this.statics = statics;
        this.lookedInto = lookedInto;
        this.test = test;
    }

    /** Errors that fail the build. */
    public List<LockDefinitionException> problems() {
        return problems;
    }

    /** Annotations that may be intended, in this application. */
    public List<String> warnings() {
        return warnings;
    }

    /** @param annotated the application and its libraries */
    public LockedInVain check(IndexView annotated) {
        // in a fixed order, so that builds are reproducible
        Map<String, ClassInfo> types = new TreeMap<>();
        Map<String, MethodInfo> methods = new TreeMap<>();
        Deque<DotName> open = new ArrayDeque<>(locking);
        while (!open.isEmpty()) {
            for (AnnotationInstance annotation : annotated.getAnnotations(open.pop())) {
                AnnotationTarget target = annotation.target();
                if (target.kind() == AnnotationTarget.Kind.METHOD) {
                    methods.put(key(target.asMethod()), target.asMethod());
                } else if (target.kind() == AnnotationTarget.Kind.CLASS) {
                    DotName type = target.asClass().name();
                    if (!lookedInto.contains(type)) {
                        types.put(type.toString(), target.asClass());
                    } else if (locking.add(type)) {
                        open.add(type);
                    }
                }
            }
        }
        types.values().forEach(this::type);
        methods.values().forEach(this::method);
        return this;
    }

    private void method(MethodInfo method) {
        if (method.isSynthetic()) {
            return; // the compiler's copy of another method
        }
        ClassInfo declaring = method.declaringClass();
        List<LockedBean> concerned = beans.ofType(declaring.name());
        if (neverABean(declaring) && !Modifier.isStatic(method.flags())) {
            noBean(declaring, method, "@Locked has no effect: " + noBean(declaring));
        } else if (Modifier.isPrivate(method.flags())) {
            inClass(concerned, method,
                    "@Locked has no effect on a private method: make it package-private, and call it from another bean");
        } else if (Modifier.isStatic(method.flags())) {
            if (!statics.contains(key(method))) {
                noBean(declaring, method, "@Locked has no effect on this static method, which the container does not "
                        + "intercept for it: put it on a method of a bean");
            }
        } else if (LIFECYCLE.stream().anyMatch(method::hasDeclaredAnnotation)) {
            inClass(concerned, method,
                    "@Locked has no effect on a method that the container calls (@PostConstruct, @PreDestroy, "
                            + "@AroundInvoke, @Inject): put it on a method of another bean, and call that from here");
        } else {
            if (concerned.isEmpty()) {
                noBean(declaring, method, "@Locked has no effect: " + noBean(declaring));
            }
            for (LockedBean bean : concerned) {
                judge(bean, method);
            }
        }
    }

    /** A problem that any bean of the class has. */
    private void inClass(List<LockedBean> beans, MethodInfo method, String text) {
        if (beans.isEmpty()) {
            noBean(method.declaringClass(), method, text);
        } else {
            problem(method, text);
        }
    }

    private void judge(LockedBean bean, MethodInfo method) {
        MethodInfo called = called(bean, method);
        if (bean.locks(called) && reachable(bean, called) || mock(bean)) {
            return;
        }
        String inBean = "@Locked has no effect in bean " + bean.type().name() + ": ";
        if (bean.bindingsSource()) {
            problem(method,
                    "@Locked has no effect for the InterceptionProxy: the class of its @BindingsSource has to declare the "
                            + "method itself, and the class behind the proxy one of the same name, return type and parameters");
            return;
        }
        if (!classes.knows(called.declaringClass().name())) {
            problem(method,
                    inBean + "this class is generated, without the annotation; put it on the method of a bean that calls "
                            + "this one");
        } else if (!called.equals(method)) {
            problem(method, inBean + "it is on a method that " + describe(called)
                    + (method.declaringClass().isInterface() || Modifier.isAbstract(method.flags()) ? " implements"
                            : " overrides")
                    + "; put it there");
        } else if (method.declaringClass().isInterface()) {
            problem(method, inBean + "default methods are not intercepted; put it on a method of this name in "
                    + bean.type().name() + ", or on that class");
        } else if (!reachable(bean, called)) {
            problem(method, inBean + "the bean lies in another package, where a package-private method cannot be intercepted; "
                    + "make the method protected or public");
        } else {
            problem(method,
                    inBean + "the container does not intercept the method; use parameters of public types, or put it on "
                            + "another method of the bean");
        }
    }

    /** Mocks replace locked beans. */
    private boolean mock(LockedBean bean) {
        return test && bean.alternative();
    }

    /** The intercepting subclass of the bean is in the bean's package. */
    private static boolean reachable(LockedBean bean, MethodInfo called) {
        return Packages.opens(called, bean.type());
    }

    /** What runs when this method of a bean is called; the method itself if nothing overrides it. */
    private MethodInfo called(LockedBean bean, MethodInfo method) {
        List<DotName> wanted = parameters(bean, method);
        for (ClassInfo type : bean.classes()) {
            if (type.name().equals(method.declaringClass().name())) {
                return method;
            }
            for (MethodInfo each : type.methods()) {
                if (each.name().equals(method.name()) && overrides(each) && parameters(bean, each).equals(wanted)) {
                    return each;
                }
            }
        }
        return method;
    }

    private static boolean overrides(MethodInfo method) {
        return !method.isSynthetic() && !Modifier.isStatic(method.flags()) && !Modifier.isPrivate(method.flags())
                && !Modifier.isAbstract(method.flags());
    }

    private List<DotName> parameters(LockedBean bean, MethodInfo method) {
        return TypeBindings.parameters(index, bean.type(), method);
    }

    private void type(ClassInfo type) {
        if (type.isAnnotation()) {
            noBean(type, null,
                    "@Locked has no effect on an annotation that is neither a stereotype nor an interceptor binding: "
                            + "add @Stereotype, for classes, or @InterceptorBinding, and @Retention(RUNTIME)");
            return;
        }
        if (type.hasDeclaredAnnotation(INTERCEPTOR)) {
            return; // the binding of an interceptor that the application adds to ours
        }
        List<LockedBean> concerned = beans.ofType(type.name());
        if (concerned.isEmpty()) {
            noBean(type, null, "@Locked has no effect: " + noBean(type));
        }
        if (!type.isInterface() && !concerned.isEmpty() && concerned.stream().noneMatch(bean -> counts(bean, type))) {
            problems.add(new LockDefinitionException(type.name(), "@Locked has no effect: it is on an annotation that is "
                    + "not inherited; put that on the class of a bean, or add @Inherited to it"));
        }
        for (LockedBean bean : concerned) {
            if (bean.bindingsSource()) {
                onBindingsSource(bean, type);
            } else if (type.isInterface()) {
                onInterface(bean, type);
            } else if (type.name().equals(nearest(bean))) {
                onClass(bean, type);
            }
        }
    }

    /** The class whose annotation applies to the whole bean. */
    private @Nullable DotName nearest(LockedBean bean) {
        return bean.classes().stream().filter(type -> counts(bean, type)).map(ClassInfo::name).findFirst().orElse(null);
    }

    /** Whether an annotation of this class applies to a bean: its own, or an inherited one. */
    private boolean counts(LockedBean bean, ClassInfo type) {
        return type.declaredAnnotations().stream().map(AnnotationInstance::name).filter(locking::contains)
                .anyMatch(annotation -> type.equals(bean.type()) || has(annotation, INHERITED));
    }

    private boolean has(DotName annotation, DotName meta) {
        ClassInfo declaration = index.getClassByName(annotation);
        return declaration != null && declaration.hasDeclaredAnnotation(meta);
    }

    private void onBindingsSource(LockedBean bean, ClassInfo type) {
        if (bean.locked().isEmpty()) {
            problems.add(
                    new LockDefinitionException(type.name(), "@Locked has no effect for the InterceptionProxy that has its "
                            + "annotations from " + bean.type().name() + ": nothing behind it could be locked"));
        }
    }

    private void onInterface(LockedBean bean, ClassInfo type) {
        List<MethodInfo> methods = methods(type).filter(method -> !Modifier.isStatic(method.flags())
                && !Modifier.isPrivate(method.flags())).toList();
        boolean locked = methods.isEmpty() ? nearest(bean) != null
                : methods.stream().allMatch(method -> bean.locks(called(bean, method)));
        if (!locked && !mock(bean)) {
            problems.add(new LockDefinitionException(type.name(), "@Locked has no effect in bean " + bean.type().name()
                    + ": it is on an interface; put it on that class, or on its methods"));
        }
    }

    /** The methods of an interface and its parents. Those of the JDK are not meant to be locked. */
    private Stream<MethodInfo> methods(ClassInfo type) {
        return Stream.concat(type.methods().stream(), type.interfaceNames().stream().filter(classes::knows)
                .map(index::getClassByName).filter(Objects::nonNull).flatMap(this::methods));
    }

    private void onClass(LockedBean bean, ClassInfo type) {
        List<MethodInfo> own = bean.classes().stream().filter(each -> classes.knows(each.name()))
                .flatMap(each -> each.methods().stream()).filter(this::interceptedWithItsClass)
                .filter(method -> reachable(bean, method) && called(bean, method).equals(method)).toList();
        if (own.isEmpty() && bean.locked().isEmpty()) {
            problems.add(new LockDefinitionException(type.name(), "@Locked has no effect in bean " + bean.type().name()
                    + ": the bean has no method that could be locked; put it on methods of a bean"));
        }
        own.forEach(method -> judge(bean, method));
    }

    private boolean interceptedWithItsClass(MethodInfo method) {
        return overrides(method) && !method.isConstructor() && !method.isStaticInitializer()
                && !beans.exempt(method) && LIFECYCLE.stream().noneMatch(method::hasDeclaredAnnotation);
    }

    /** A library's annotation may be meant for other applications, and that of an excluded class for other builds. */
    private void noBean(ClassInfo type, @Nullable MethodInfo method, String problem) {
        if (classes.ofApplication(type.name()) && !leftOut(type)) {
            problems.add(method == null ? new LockDefinitionException(type.name(), problem)
                    : new LockDefinitionException(type.name(), method.name(), problem));
        } else {
            warnings.add(method == null ? type.name().toString() : describe(method));
        }
    }

    private boolean leftOut(ClassInfo type) {
        return !neverABean(type) && (classes.leftOut(type) || stereotyped(type)
                || (type.isInterface() ? index.getAllKnownImplementations(type.name())
                        : index.getAllKnownSubclasses(type.name()))
                        .stream().anyMatch(classes::leftOut));
    }

    /** The container keeps these apart from beans and intercepts neither, whatever their scope. */
    private static boolean neverABean(ClassInfo type) {
        return type.hasDeclaredAnnotation(DECORATOR) || type.hasDeclaredAnnotation(INTERCEPTOR);
    }

    /** Such a class would be a bean, had nobody excluded it. */
    private boolean stereotyped(ClassInfo type) {
        return !Modifier.isAbstract(type.flags()) && !ApplicationClasses.cannotBeMade(type)
                && type.declaredAnnotations().stream().map(AnnotationInstance::name)
                        .anyMatch(annotation -> locking.contains(annotation) && has(annotation, STEREOTYPE));
    }

    private static String noBean(ClassInfo type) {
        if (type.hasDeclaredAnnotation(DECORATOR)) {
            return "a decorator is not intercepted; put it on the method of the bean that it decorates";
        }
        if (type.hasDeclaredAnnotation(INTERCEPTOR)) {
            return "an interceptor is not intercepted itself; put it on the method of a bean";
        }
        if (LockDotNames.PERSISTENT.stream().anyMatch(type::hasDeclaredAnnotation)) {
            return "an entity is not a bean; put it on the method of a bean that calls this one";
        }
        if (type.isInterface()) {
            return "no bean implements this interface; put it on the methods of a bean";
        }
        if (Modifier.isAbstract(type.flags())) {
            return "no bean extends this class; put it on the methods of a bean";
        }
        return ApplicationClasses.cannotBeMade(type)
                ? "the class is not a bean: give it a scope, such as @ApplicationScoped, and, as it has several constructors, one "
                        + "without parameters or one with @Inject"
                : "the class is not a bean; give it a scope, such as @ApplicationScoped, or put it on the method of a bean that "
                        + "calls this one";
    }

    private void problem(MethodInfo method, String text) {
        problems.add(new LockDefinitionException(method.declaringClass().name(), method.name(), text));
    }

    /** Identifies a method. */
    public static String key(MethodInfo method) {
        return describe(method) + method.descriptor();
    }

    /** {@code Class.method} with the class's full name. */
    public static String describe(MethodInfo method) {
        return method.declaringClass().name().toString() + '.' + method.name();
    }
}
