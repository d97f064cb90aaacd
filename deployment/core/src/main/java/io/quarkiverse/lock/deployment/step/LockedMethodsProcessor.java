package io.quarkiverse.lock.deployment.step;

import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationTransformation;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;
import org.jboss.jandex.MethodParameterInfo;
import org.jboss.jandex.gizmo2.Jandex2Gizmo;
import org.jboss.logging.Logger;

import io.quarkiverse.lock.deployment.LockManagersBuildItem;
import io.quarkiverse.lock.deployment.fallback.FallbackCompiler;
import io.quarkiverse.lock.deployment.index.ApplicationClasses;
import io.quarkiverse.lock.deployment.index.LockDotNames;
import io.quarkiverse.lock.deployment.index.ParameterNames;
import io.quarkiverse.lock.deployment.method.LockedBeans;
import io.quarkiverse.lock.deployment.method.LockedCandidate;
import io.quarkiverse.lock.deployment.method.LockedMethodBuildItem;
import io.quarkiverse.lock.deployment.method.LockedMethodFinder;
import io.quarkiverse.lock.deployment.name.CheckedTemplate;
import io.quarkiverse.lock.deployment.name.NameCompiler;
import io.quarkiverse.lock.deployment.rule.BareNumbers;
import io.quarkiverse.lock.deployment.rule.CachedSubstitutes;
import io.quarkiverse.lock.deployment.rule.FaultToleranceInside;
import io.quarkiverse.lock.deployment.rule.LockIds;
import io.quarkiverse.lock.deployment.rule.LockedInVain;
import io.quarkiverse.lock.deployment.rule.LockedMethodRules;
import io.quarkiverse.lock.deployment.rule.ProducedObjects;
import io.quarkiverse.lock.deployment.rule.ProxiedObjects;
import io.quarkiverse.lock.deployment.rule.RetriesOfKeptNames;
import io.quarkiverse.lock.deployment.rule.ScheduledInTurn;
import io.quarkiverse.lock.deployment.rule.SubResourceLocators;
import io.quarkiverse.lock.deployment.rule.SynchronousObservers;
import io.quarkiverse.lock.deployment.rule.UnsettledMessages;
import io.quarkiverse.lock.name.LockName;
import io.quarkiverse.lock.name.NameTemplate;
import io.quarkiverse.lock.runtime.LockRecorder;
import io.quarkiverse.lock.runtime.method.Fallback;
import io.quarkus.arc.deployment.AnnotationsTransformerBuildItem;
import io.quarkus.arc.deployment.BuildExclusionsBuildItem;
import io.quarkus.arc.deployment.CustomScopeAnnotationsBuildItem;
import io.quarkus.arc.deployment.ValidationPhaseBuildItem;
import io.quarkus.arc.deployment.ValidationPhaseBuildItem.ValidationErrorBuildItem;
import io.quarkus.arc.deployment.staticmethods.InterceptedStaticMethodBuildItem;
import io.quarkus.arc.processor.BuildExtension.Key;
import io.quarkus.bootstrap.classloading.QuarkusClassLoader;
import io.quarkus.deployment.Capabilities;
import io.quarkus.deployment.Capability;
import io.quarkus.deployment.GeneratedClassGizmo2Adaptor;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.annotations.ExecutionTime;
import io.quarkus.deployment.annotations.Record;
import io.quarkus.deployment.builditem.ApplicationArchivesBuildItem;
import io.quarkus.deployment.builditem.CombinedIndexBuildItem;
import io.quarkus.deployment.builditem.GeneratedClassBuildItem;
import io.quarkus.deployment.builditem.GeneratedResourceBuildItem;
import io.quarkus.deployment.builditem.LaunchModeBuildItem;
import io.quarkus.deployment.recording.RecorderContext;
import io.quarkus.gizmo2.Gizmo;
import io.quarkus.runtime.LaunchMode;
import io.quarkus.runtime.RuntimeValue;

/** Finds, checks and compiles the {@code @Locked} methods. */
public class LockedMethodsProcessor {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.lock");

    @BuildStep
    void check(ValidationPhaseBuildItem validation, List<InterceptedStaticMethodBuildItem> statics,
            CombinedIndexBuildItem index, LockManagersBuildItem managers, Capabilities capabilities,
            BuildProducer<LockedMethodBuildItem> methods,
            BuildProducer<ValidationErrorBuildItem> errors) {
        // also includes the classes of the JDK and of libraries
        IndexView types = index.getComputingIndex();
        List<Throwable> problems = new ArrayList<>();
        boolean restClassic = capabilities.isPresent(Capability.RESTEASY);
        LockIds ids = new LockIds(problems);
        List<LockedMethodBuildItem> checked = new ArrayList<>();
        for (LockedCandidate candidate : LockedMethodFinder.find(types, validation, statics)) {
            LockedMethodBuildItem method = new LockedMethodRules(types, managers, restClassic, candidate, problems).check();
            if (method != null) {
                methods.produce(method);
                checked.add(method);
                ids.add(method);
                warnOfNoSession(method);
                warnOfForeignParts(method, types);
                FaultToleranceInside.check(method, types, problems);
                SubResourceLocators.check(method, types, problems);
                ScheduledInTurn.warn(method, managers.backend(method.definition().manager()));
                UnsettledMessages.warn(method, types);
                CachedSubstitutes.warn(method);
                RetriesOfKeptNames.warn(method, types);
                BareNumbers.warn(method);
            }
        }
        ids.check();
        problems.addAll(ProxiedObjects.lockedInTwoWays(types, checked));
        problems.addAll(SynchronousObservers.find(validation));
        if (!problems.isEmpty()) {
            errors.produce(new ValidationErrorBuildItem(problems));
        }
    }

    @BuildStep
    void checkPlaces(ValidationPhaseBuildItem validation, List<InterceptedStaticMethodBuildItem> statics,
            CombinedIndexBuildItem index, ApplicationArchivesBuildItem archives, BuildExclusionsBuildItem exclusions,
            CustomScopeAnnotationsBuildItem scopes, LaunchModeBuildItem mode, BuildProducer<ValidationErrorBuildItem> errors) {
        LockedInVain inVain = new LockedInVain(index.getComputingIndex(),
                new LockedBeans(index.getComputingIndex(), validation.getContext()),
                new ApplicationClasses(archives, exclusions, scopes),
                statics.stream().filter(each -> each.getBindings().stream().map(AnnotationInstance::name)
                        .anyMatch(LockDotNames.LOCKED::equals)).map(each -> LockedInVain.key(each.getMethod()))
                        .collect(Collectors.toUnmodifiableSet()),
                Stream.of(Key.STEREOTYPES, Key.INTERCEPTOR_BINDINGS)
                        .flatMap(looked -> validation.getContext().get(looked).keySet().stream())
                        .collect(Collectors.toUnmodifiableSet()),
                mode.getLaunchMode() == LaunchMode.TEST)
                .check(index.getIndex());
        for (String place : inVain.warnings()) {
            LOG.warnf("@Locked has no effect on %s: its class is not a bean in this application", place);
        }
        for (String producer : ProducedObjects.notIntercepted(validation.getContext(), index.getComputingIndex())) {
            LOG.warnf("@Locked has no effect on objects from %s: the container intercepts only objects that it creates itself. "
                    + "Make that class a bean, or pass the object through an InterceptionProxy", producer);
        }
        if (!inVain.problems().isEmpty()) {
            errors.produce(new ValidationErrorBuildItem(List.copyOf(inVain.problems())));
        }
    }

    /**
     * The container ends the build at the first private method that it should intercept; ours are reported with all other
     * problems.
     */
    @BuildStep
    AnnotationsTransformerBuildItem leavePrivateMethodsToUs() {
        return new AnnotationsTransformerBuildItem(AnnotationTransformation.forMethods()
                .whenMethod(method -> Modifier.isPrivate(method.flags()))
                .transform(context -> context.remove(annotation -> annotation.name().equals(LockDotNames.LOCKED))));
    }

    private static void warnOfNoSession(LockedMethodBuildItem method) {
        if (method.candidate().sessionInVain(method.definition().returns())) {
            LOG.warnf("[%s] Hibernate Reactive begins no session and no transaction around a method that returns a %s, so "
                    + "there is none inside the lock: the annotation of its class has no effect on it. Return a Uni, or begin "
                    + "the transaction in the method with SessionFactory.withTransaction", method.definition().description(),
                    method.candidate().method().returnType().name().withoutPackagePrefix());
        }
    }

    private static void warnOfForeignParts(LockedMethodBuildItem method, IndexView types) {
        Set<String> parameters = Set.copyOf(parameters(method, types));
        for (String source : method.candidate().templates()) {
            NameTemplate.parse(source).foreignPart(parameters).ifPresent(part -> LOG.warnf(
                    "[%s] @Locked(\"%s\"): all calls use this same name, since '%s' is not replaced; write "
                            + "a parameter as {id}",
                    method.definition().description(), source, part));
        }
    }

    /**
     * Where there are several class loaders, as in tests, a compiled name is loaded like its declaring class, so that it may
     * use what is visible in the package. But a REST client, whose class is generated, and a method that is inherited from a
     * library can have parameters of types that only the application's loader finds.
     */
    private static boolean nameIsOfApplication(DotName declaringClass, CheckedTemplate template) {
        return QuarkusClassLoader.isApplicationClass(declaringClass.toString())
                || template.reads(QuarkusClassLoader::isApplicationClass);
    }

    /** A call of a fallback is loaded like the class that declares the fallback: generated beans with the application. */
    private static boolean fallbackIsOfApplication(DotName declaringClass) {
        return QuarkusClassLoader.isApplicationClass(declaringClass.toString())
                || !QuarkusClassLoader.isClassPresentAtRuntime(declaringClass.toString());
    }

    /** Without parameters whose names are not known. */
    private static List<String> parameters(LockedMethodBuildItem method, IndexView types) {
        return ParameterNames.where(types, method.candidate().method()).parameters().stream()
                .map(MethodParameterInfo::name).filter(Objects::nonNull).toList();
    }

    @BuildStep
    @Record(ExecutionTime.STATIC_INIT)
    void compile(LockRecorder recorder, RecorderContext context, LockRuntimeBuildItem runtime, CombinedIndexBuildItem index,
            List<LockedMethodBuildItem> methods,
            BuildProducer<GeneratedClassBuildItem> classes, BuildProducer<GeneratedResourceBuildItem> resources) {
        Set<String> ofApplication = new HashSet<>();
        Predicate<String> loadedWithApplication = ofApplication::contains;
        Gizmo gizmo = Gizmo.create(new GeneratedClassGizmo2Adaptor(classes, resources, loadedWithApplication));
        int number = 0;
        for (LockedMethodBuildItem locked : methods) {
            MethodInfo method = locked.candidate().method();
            DotName declaring = method.declaringClass().name();
            List<RuntimeValue<? extends LockName>> names = new ArrayList<>();
            for (CheckedTemplate each : locked.templates()) {
                if (each.template().constant()) {
                    names.add(recorder.constantName(each.template().text()));
                } else {
                    String className = NameCompiler.className(declaring.toString(), method.name(), number++);
                    if (nameIsOfApplication(declaring, each)) {
                        ofApplication.add(className);
                    }
                    new NameCompiler(each, parameters(locked, index.getComputingIndex()), locked.definition().description())
                            .compile(gizmo, className);
                    names.add(context.newInstance(className));
                }
            }
            RuntimeValue<Fallback> fallback = null;
            if (locked.fallback() != null) {
                FallbackCompiler compiler = new FallbackCompiler(method, locked.fallback());
                String className = compiler.className(number++);
                if (fallbackIsOfApplication(locked.fallback().declaringClass().name())) {
                    ofApplication.add(className);
                }
                compiler.compile(gizmo, className);
                fallback = context.newInstance(className);
            }
            recorder.define(runtime.methods(), locked.candidate().beanName().toString(), declaring.toString(), method.name(),
                    Jandex2Gizmo.methodDescOf(method).type().descriptorString(), locked.candidate().interception(), names,
                    fallback, locked.definition());
        }
    }
}
