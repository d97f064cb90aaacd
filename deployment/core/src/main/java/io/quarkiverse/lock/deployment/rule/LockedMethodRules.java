package io.quarkiverse.lock.deployment.rule;

import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;
import org.jboss.jandex.Type;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.Locked.OnBusy;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.Locked.Release;
import io.quarkiverse.lock.deployment.LockBackendBuildItem;
import io.quarkiverse.lock.deployment.LockManagersBuildItem;
import io.quarkiverse.lock.deployment.fallback.FallbackFinder;
import io.quarkiverse.lock.deployment.index.LockDotNames;
import io.quarkiverse.lock.deployment.index.TypeBindings;
import io.quarkiverse.lock.deployment.method.LockedCandidate;
import io.quarkiverse.lock.deployment.method.LockedMethodBuildItem;
import io.quarkiverse.lock.deployment.name.CheckedTemplate;
import io.quarkiverse.lock.deployment.name.PartPath;
import io.quarkiverse.lock.deployment.name.PathChecker;
import io.quarkiverse.lock.name.Expressions;
import io.quarkiverse.lock.name.NameTemplate;
import io.quarkiverse.lock.runtime.config.Durations;
import io.quarkiverse.lock.runtime.manager.LockManagers;
import io.quarkiverse.lock.runtime.method.LockedDefinition;
import io.quarkiverse.lock.runtime.method.ReturnKind;
import io.quarkiverse.lock.runtime.method.TransactionKind;
import io.quarkiverse.lock.spi.Feature;
import io.quarkus.bootstrap.classloading.QuarkusClassLoader;

/** Checks one method, and converts it to what the application needs to know about it. Collects all problems. */
public final class LockedMethodRules {

    private static final int MAX_NAME = 1024;
    private static final Pattern ID = Pattern.compile("[a-z][a-z0-9]*");

    private final IndexView index;
    private final LockManagersBuildItem managers;
    private final boolean restClassic;
    private final LockedCandidate candidate;
    private final Type returned;
    private final List<Throwable> problems;
    private final int before;

    /** @param restClassic whether endpoints are those of RESTEasy Classic */
    public LockedMethodRules(IndexView index, LockManagersBuildItem managers, boolean restClassic, LockedCandidate candidate,
            List<Throwable> problems) {
        this.index = index;
        this.managers = managers;
        this.restClassic = restClassic;
        this.candidate = candidate;
        this.returned = TypeBindings.of(index, candidate.beanClass(), candidate.method())
                .resolve(candidate.method().returnType());
        this.problems = problems;
        this.before = problems.size();
    }

    /** {@code null} if there are problems. */
    @Nullable
    public LockedMethodBuildItem check() {
        String atTheStart = GrpcServices.check(index, candidate);
        if (atTheStart != null) {
            problem(atTheStart);
            return null; // nothing else matters there
        }
        String atTheEnd = ShutdownMethods.check(candidate);
        if (atTheEnd != null) {
            problem(atTheEnd);
        }
        if (!candidate.rivals().isEmpty()) {
            problem("@Locked appears here more than once, and only one of these would count: " + Stream.concat(
                    Stream.of(candidate.locked()), candidate.rivals().stream()).map(AnnotationInstance::toString)
                    .collect(Collectors.joining(", ")) + "; keep one, with all the names");
        }
        String manager = manager();
        OnBusy onBusy = candidate.constant("onBusy", OnBusy.class, OnBusy.FAIL);
        ReturnKind returns = returns(manager, onBusy);
        checkFeatures(manager, returns);
        String onEventLoop = returns == ReturnKind.BLOCKING ? EventLoopRules.check(index, candidate, restClassic) : null;
        if (onEventLoop != null) {
            problem(onEventLoop);
        }
        LockMode mode = candidate.constant("mode", LockMode.class, LockMode.EXCLUSIVE);
        int limit = candidate.number("limit");
        if (limit < 0) {
            problem("@Locked(limit = " + limit + "): must not be negative");
        }
        if (limit > 0 && mode == LockMode.SHARED) {
            problem("@Locked(mode = SHARED, limit = " + limit + "): SHARED calls are not counted; keep one of the two");
        }
        if ((limit > 0 || mode == LockMode.SHARED) && candidate.holdsAtLeast()) {
            problem("@Locked(" + (limit > 0 ? "limit = " + limit : "mode = SHARED") + ", holdAtLeast = \""
                    + candidate.string("holdAtLeast") + "\"): only an exclusive lock can keep the name after its release; "
                    + "remove one of the two");
        }
        checkMode(manager, mode, limit);
        check("waitFor", Durations::parseWait);
        check("lease", Durations::parseLease);
        if (check("maxHold", Durations::parseMaxHold)) {
            checkRenewed(manager);
        }
        check("holdAtLeast", Durations::parseHoldAtLeast);
        check("renew", Expressions::parseBoolean);
        if (check("linger", Durations::parseLinger)) {
            new LingerRules(candidate, this::problem).check(limit);
        }
        List<String> sources = candidate.templates();
        if (candidate.lacksTemplate()) {
            problem("@Locked(" + written() + "): one of several names is empty; remove it, or write the name");
        }
        List<CheckedTemplate> templates = sources.isEmpty() ? List.of(withoutTemplate())
                : sources.stream().map(this::template).filter(Objects::nonNull).toList();
        String id = id();
        MethodInfo fallback = fallback(onBusy);
        if (problems.size() > before) {
            return null;
        }
        return new LockedMethodBuildItem(candidate, templates, fallback,
                new LockedDefinition(candidate.description(), id,
                        sources.isEmpty() ? candidate.description() : String.join(", ", sources), manager,
                        candidate.string("waitFor"), candidate.string("lease"), candidate.string("renew"),
                        candidate.string("maxHold"), candidate.string("holdAtLeast"), candidate.string("linger"),
                        onBusy, candidate.constant("onLost", OnLost.class, OnLost.DEFAULT),
                        candidate.constant("release", Release.class, Release.AFTER_TRANSACTION), returns,
                        ReturnTypeRules.skipResult(returned), candidate.transaction(returns),
                        candidate.validation(restClassic),
                        mode, limit));
    }

    private String id() {
        String id = candidate.string("id");
        if (!id.isEmpty() && !ID.matcher(id).matches()) {
            problem("@Locked(id = \"" + id + "\"): must be a lower-case letter, followed by lower-case letters and digits, "
                    + "such as \"pay\", so that an environment variable can address it: QUARKUS_LOCK_OVERRIDES_PAY_WAIT");
        }
        return id;
    }

    private String manager() {
        String written = candidate.string("manager");
        if (written.isEmpty()) {
            return LockManagers.DEFAULT;
        }
        try {
            // a manager's backend is chosen at build time, so its name must be known then
            String manager = Expressions.resolve(written);
            if (!managers.names().contains(manager)) {
                List<String> known = managers.names().stream().filter(name -> !name.equals(LockManagers.DEFAULT)).toList();
                problem("@Locked(manager = \"" + written + "\"): there is no such lock manager; "
                        + (known.isEmpty() ? "the application has only the default one"
                                : "there are: " + String.join(", ", known))
                        + ". To define it, set any property " + LockManagers.property(manager, "*")
                        + " when the application is built");
            }
            return manager;
        } catch (IllegalArgumentException e) {
            problem("@Locked(manager = \"" + written + "\"): " + e.getMessage());
            return LockManagers.DEFAULT;
        }
    }

    private ReturnKind returns(String manager, OnBusy onBusy) {
        LockBackendBuildItem backend = managers.backend(manager);
        String wrong = ReturnTypeRules.check(index, candidate.method(), returned,
                backend != null && backend.otherThanTransactional() != null);
        if (wrong != null) {
            problemOfMethod(wrong);
        }
        if (onBusy == OnBusy.SKIP && !ReturnTypeRules.canSkip(returned)) {
            problemOfMethod("@Locked(onBusy = SKIP): return type " + returned
                    + " cannot say that the call was skipped: "
                    + "return void, an Optional or a reference type, which is null then");
        }
        ReturnKind kind = ReturnTypeRules.kind(returned);
        if (kind == ReturnKind.UNI && candidate.transaction(kind) == TransactionKind.JTA
                && LockDotNames.REACTIVE_TRANSACTIONS.stream().anyMatch(QuarkusClassLoader::isClassPresentAtRuntime)) {
            problem("@Locked with @Transactional on a method that returns a Uni: on an event loop this Quarkus makes it a "
                    + "transaction of Hibernate Reactive, which commits after the last check of the lock: use "
                    + "@WithTransaction, or return the result itself on a worker or virtual thread (@Blocking, "
                    + "@RunOnVirtualThread)");
        }
        return kind;
    }

    private void checkFeatures(String manager, ReturnKind returns) {
        LockBackendBuildItem backend = managers.backend(manager);
        if (backend == null) {
            return;
        }
        if (backend.otherThanTransactional() != null) {
            new TransactionalLockRules(candidate, backend.otherThanTransactional(), this::problem).check(returns, returned);
            return;
        }
        if (returns != ReturnKind.BLOCKING && !backend.features().contains(Feature.ASYNC)) {
            problem("lock backend '" + backend.name() + "' works for blocking methods only, not for one that returns a "
                    + returned + ": choose another with " + LockManagers.property(manager, "backend"));
        }
        if (candidate.holdsAtLeast() && !backend.features().contains(Feature.HOLD_AT_LEAST)) {
            problem("@Locked(holdAtLeast = \"" + candidate.string("holdAtLeast") + "\"): lock backend '" + backend.name()
                    + "' cannot keep a name after its release: remove it, or choose another with "
                    + LockManagers.property(manager, "backend"));
        }
        if (!candidate.string("lease").isEmpty() && !backend.features().contains(Feature.LEASE)) {
            problem("@Locked(lease = \"" + candidate.string("lease") + "\"): lock backend '" + backend.name()
                    + "' has no separate lease for each lock: remove it"
                    + (backend.leaseProperty() == null ? "" : " and set " + backend.leaseProperty() + ", which is for all")
                    + ", or choose another with "
                    + LockManagers.property(manager, "backend"));
        }
    }

    private void checkMode(String manager, LockMode mode, int limit) {
        LockBackendBuildItem backend = managers.backend(manager);
        if (backend == null) {
            return;
        }
        if (mode == LockMode.SHARED && !backend.features().contains(Feature.SHARED)) {
            unsupported("mode = SHARED", Feature.SHARED, backend, manager);
        }
        if (limit > 0 && !backend.features().contains(Feature.LIMIT)) {
            unsupported("limit = " + limit, Feature.LIMIT, backend, manager);
        }
    }

    /** Looks at the annotation alone: whether an override renews the lock is not known yet. */
    private void checkRenewed(String manager) {
        String maxHold = candidate.string("maxHold");
        LockBackendBuildItem backend = managers.backend(manager);
        boolean leased = backend == null || backend.otherThanTransactional() == null; // else both are refused already
        if (leased && !maxHold.isEmpty() && candidate.string("renew").equals("false")) {
            problem("@Locked(maxHold = \"" + maxHold + "\", renew = \"false\"): maxHold has no effect on a lock that is not "
                    + "renewed; remove one of the two");
        }
    }

    private void unsupported(String member, Feature feature, LockBackendBuildItem backend, String manager) {
        List<String> able = managers.able(feature);
        problem("@Locked(" + member + "): lock backend '" + backend.name()
                + "' does not support it. Remove it, so that one call runs at a time"
                + (able.isEmpty() ? "; no other backend of the application that works across JVMs supports it either"
                        : ", or set " + LockManagers.property(manager, "backend") + " to a backend that does: "
                                + String.join(", ", able)));
    }

    private @Nullable MethodInfo fallback(OnBusy onBusy) {
        try {
            return new FallbackFinder(index, candidate).find(onBusy, candidate.string("fallbackMethod"));
        } catch (IllegalArgumentException e) {
            problem(e.getMessage());
            return null;
        }
    }

    /** A text with an expression in it is checked when the application starts. */
    private boolean check(String member, Function<String, ?> parser) {
        String text = candidate.string(member);
        if (text.isEmpty() || Expressions.in(text)) {
            return true;
        }
        try {
            parser.apply(text);
            return true;
        } catch (IllegalArgumentException e) {
            problem("@Locked(" + member + " = \"" + text + "\"): " + e.getMessage());
            return false;
        }
    }

    private String written() {
        return Arrays.stream(candidate.locked().value("value").asStringArray())
                .collect(Collectors.joining("\", \"", "{\"", "\"}"));
    }

    private CheckedTemplate withoutTemplate() {
        return new CheckedTemplate(new NameTemplate(List.of(new NameTemplate.Text(candidate.description()))), Map.of());
    }

    private @Nullable CheckedTemplate template(String source) {
        try {
            NameTemplate template = NameTemplate.parse(source);
            if (template.constant() && template.text().length() > MAX_NAME) {
                problem("@Locked: the name is " + template.text().length() + " characters long; at most " + MAX_NAME
                        + " are allowed");
            }
            return new CheckedTemplate(template, paths(source, template));
        } catch (IllegalArgumentException e) {
            problem("@Locked(\"" + source + "\"): " + e.getMessage());
            return null;
        }
    }

    private Map<NameTemplate.Part, PartPath> paths(String source, NameTemplate template) {
        PathChecker checker = new PathChecker(index, candidate.beanClass(), candidate.method());
        Map<NameTemplate.Part, PartPath> paths = new HashMap<>();
        for (NameTemplate.Piece piece : template.pieces()) {
            if (piece instanceof NameTemplate.Part part && !paths.containsKey(part)) {
                try {
                    paths.put(part, checker.check(part));
                } catch (IllegalArgumentException e) {
                    problemOfMethod("@Locked(\"" + source + "\"): " + e.getMessage());
                }
            }
        }
        return paths;
    }

    private void problemOfMethod(String text) {
        problem(text + insteadOfClass());
    }

    /** What else to do about a method that nobody may be able to change, or that is not meant for callers elsewhere. */
    private String insteadOfClass() {
        if (candidate.inherited()) {
            return "; or, since the class inherits it from " + candidate.method().declaringClass().name()
                    + ", put @Locked on the methods instead, or override this one with @NoClassInterceptors";
        }
        return candidate.ofClass() && !Modifier.isPublic(candidate.method().flags())
                ? "; or, since the lock is on the class, make the method private, or exempt it with @NoClassInterceptors"
                : "";
    }

    private void problem(String text) {
        problems.add(candidate.problem(text));
    }
}
