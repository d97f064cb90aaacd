package io.quarkiverse.lock.deployment.rule;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.deployment.method.LockedCandidate;
import io.quarkiverse.lock.deployment.method.LockedMethodBuildItem;
import io.quarkiverse.lock.runtime.method.Interception;
import io.quarkiverse.lock.runtime.method.LockedDefinition;
import io.quarkiverse.lock.runtime.method.TransactionKind;
import io.quarkiverse.lock.runtime.method.ValidationKind;

/**
 * Objects that could be locked in two ways. The interceptor knows which object is called, but not through which interception
 * proxy. So all roles of an object must lock alike.
 */
public final class ProxiedObjects {

    private ProxiedObjects() {
    }

    /** @param index of all classes */
    public static List<Throwable> lockedInTwoWays(IndexView index, List<LockedMethodBuildItem> methods) {
        List<Throwable> problems = new ArrayList<>();
        Map<String, List<LockedMethodBuildItem>> ofMethod = new HashMap<>();
        for (LockedMethodBuildItem method : methods) {
            List<LockedMethodBuildItem> others = ofMethod.computeIfAbsent(LockedInVain.key(method.candidate().method()),
                    none -> new ArrayList<>());
            for (LockedMethodBuildItem other : others) {
                if (!alike(other, method) && ofOneObject(index, other.candidate(), method.candidate())) {
                    problems.add(problem(other, method));
                }
            }
            others.add(method);
        }
        return problems;
    }

    private static boolean alike(LockedMethodBuildItem one, LockedMethodBuildItem other) {
        LockedDefinition first = one.definition();
        LockedDefinition second = other.definition();
        return one.candidate().lockedAs(other.candidate())
                && first.template().equals(second.template()) // without a template, the class is part of the name
                && first.returns() == second.returns() && first.skipResult() == second.skipResult()
                && first.transaction() == second.transaction() && first.validation() == second.validation();
    }

    /** Whether an object behind a proxy can be both. A bean may also be passed to a proxy. */
    private static boolean ofOneObject(IndexView index, LockedCandidate one, LockedCandidate other) {
        boolean oneProxied = one.interception() != Interception.BEAN;
        boolean otherProxied = other.interception() != Interception.BEAN;
        if (oneProxied && otherProxied && (one.beanClass().isInterface() || other.beanClass().isInterface())) {
            return true; // some class may implement both
        }
        return otherProxied && is(index, one.beanClass(), other.beanName())
                || oneProxied && is(index, other.beanClass(), one.beanName());
    }

    private static boolean is(IndexView index, @Nullable ClassInfo type, DotName wanted) {
        return type != null && (type.name().equals(wanted)
                || type.superName() != null && is(index, index.getClassByName(type.superName()), wanted)
                || type.interfaceNames().stream().anyMatch(each -> is(index, index.getClassByName(each), wanted)));
    }

    private static Throwable problem(LockedMethodBuildItem one, LockedMethodBuildItem other) {
        return one.candidate().problem("one object can be reached in two ways that lock differently, and the object alone "
                + "decides which of the locks is taken: " + says(one) + "; " + says(other)
                + ". Give both the same annotations, "
                + "or let one producer declare an interface of its own that declares this method");
    }

    private static String says(LockedMethodBuildItem method) {
        LockedCandidate candidate = method.candidate();
        return (candidate.producer() == null ? "the bean " + candidate.home() : candidate.producer()) + " locks \""
                + method.definition().template() + "\" for " + candidate.locked()
                + (method.definition().transaction() == TransactionKind.NONE ? "" : " around a transaction")
                + (method.definition().validation() == ValidationKind.NONE ? "" : " once parameters are validated");
    }
}
