package io.quarkiverse.lock.testkit.faults;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Nested;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;

import io.quarkiverse.lock.testkit.Fault;

/** Finds the tests that cover a number, among those that the build runs and does not skip. */
final class FaultNumbers {

    private static final Pattern RUN_BY_THE_BUILD = Pattern.compile("Test.*|.*(Test|Tests|TestCase|IT)");
    private static final Pattern NUMBERED = Pattern.compile("fault(\\d+)_.*");

    private final SortedMap<Integer, List<String>> tests = new TreeMap<>();
    private final List<String> misnamed = new ArrayList<>();

    FaultNumbers(String packageName, Set<String> skipped) {
        for (Class<?> type : ReflectionSupport.findAllClassesInPackage(packageName, FaultNumbers::isRun, name -> true)) {
            for (Method method : ReflectionSupport.findMethods(type, FaultNumbers::bearsOrSeemsTo,
                    HierarchyTraversalMode.TOP_DOWN)) {
                String group = method.getDeclaringClass().getSimpleName() + ".";
                if (!skipped.contains(group + method.getName()) && !skipped.contains(group + "*")) {
                    add(type, method);
                }
            }
        }
    }

    private void add(Class<?> type, Method method) {
        Fault fault = method.getAnnotation(Fault.class);
        List<Integer> numbers = fault == null ? List.of() : java.util.Arrays.stream(fault.value()).boxed().toList();
        Matcher name = NUMBERED.matcher(method.getName());
        if (!name.matches() || !numbers.contains(Integer.valueOf(name.group(1)))) {
            misnamed.add(type.getSimpleName() + "." + method.getName() + " bears " + numbers);
        }
        for (Integer number : numbers) {
            tests.computeIfAbsent(number, ignored -> new ArrayList<>())
                    .add(type.getSimpleName() + "." + method.getName());
        }
    }

    SortedMap<Integer, List<String>> tests() {
        return tests;
    }

    /** The tests whose name and annotation disagree. */
    List<String> misnamed() {
        return misnamed;
    }

    private static boolean bearsOrSeemsTo(Method method) {
        return method.isAnnotationPresent(Fault.class) || NUMBERED.matcher(method.getName()).matches();
    }

    private static boolean isRun(Class<?> type) {
        Class<?> outermost = type;
        while (outermost.getEnclosingClass() != null) {
            if (!outermost.isAnnotationPresent(Nested.class)) {
                return false;
            }
            outermost = outermost.getEnclosingClass();
        }
        return !Modifier.isAbstract(type.getModifiers()) && !type.isInterface()
                && RUN_BY_THE_BUILD.matcher(outermost.getSimpleName()).matches();
    }
}
