package io.quarkiverse.lock.testkit.contract;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.opentest4j.TestAbortedException;

/**
 * Skips what the environment cannot do, and fails the class if the skips differ from the environment's list. So neither a test
 * that silently stops running nor a line that outlives its reason goes unnoticed.
 */
final class Skips implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback, AfterAllCallback {

    private static final Namespace HERE = Namespace.create(Skips.class);

    /** What has run and what was skipped in one class. Its tests may run side by side. */
    private static final class Record {
        private final Set<String> run = new ConcurrentSkipListSet<>();
        private final Set<String> skipped = new ConcurrentSkipListSet<>();
        private volatile String environment = "";
        private volatile Class<?> group = Object.class;
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        context.getStore(HERE).put(Record.class, new Record());
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        Record record = context.getStore(HERE).get(Record.class, Record.class);
        ContractTest test = (ContractTest) context.getRequiredTestInstance();
        Method method = context.getRequiredTestMethod();
        record.environment = test.environment().name();
        if (method.getDeclaringClass() != context.getRequiredTestClass()) {
            record.group = method.getDeclaringClass();
        }
        skipUnlessMet(test, context.getRequiredTestClass().getAnnotation(Needs.class), SkipList.WHOLE_GROUP, record);
        skipUnlessMet(test, method.getAnnotation(Needs.class), method.getName(), record);
        record.run.add(method.getName());
    }

    /** A test that aborts itself would count as run, and no list would show that it never does. */
    @Override
    public void afterEach(ExtensionContext context) {
        Record record = context.getStore(HERE).get(Record.class, Record.class);
        context.getExecutionException().filter(TestAbortedException.class::isInstance)
                .filter(aborted -> record.run.contains(context.getRequiredTestMethod().getName())).ifPresent(aborted -> {
                    throw new AssertionError("Only @Needs may skip a test, so that a list shows it", aborted);
                });
    }

    /** @param line the skip's line in the list */
    private static void skipUnlessMet(ContractTest test, @Nullable Needs needs, String line, Record record) {
        if (needs == null) {
            return;
        }
        boolean able = test.abilities().containsAll(Arrays.asList(needs.value()));
        boolean featured = test.environment().features().containsAll(Arrays.asList(needs.features()));
        if (able && featured) {
            return;
        }
        if (featured && needsVirtualThreadsOnly(test, needs)) {
            throw new TestAbortedException("This JDK has no virtual threads");
        }
        record.skipped.add(line);
        throw new TestAbortedException("The environment '" + record.environment + "' lacks one of "
                + Arrays.toString(needs.value()) + ", or its backend one of " + Arrays.toString(needs.features()));
    }

    /** This depends on the JDK, so no list contains it; a build that must have them says so. */
    private static boolean needsVirtualThreadsOnly(ContractTest test, Needs needs) {
        for (Ability ability : needs.value()) {
            if (ability != Ability.VIRTUAL_THREADS && !test.abilities().contains(ability)) {
                return false;
            }
        }
        if (Boolean.getBoolean("lock.test.require-virtual-threads")) {
            throw new AssertionError("lock.test.require-virtual-threads is set, but this JDK has none");
        }
        return true;
    }

    @Override
    public void afterAll(ExtensionContext context) {
        Record record = context.getStore(HERE).get(Record.class, Record.class);
        Set<String> listed = SkipList.of(record.environment, record.group).keySet();
        Set<String> unlisted = new TreeSet<>(record.skipped);
        unlisted.removeAll(listed);
        Set<String> outdated = new TreeSet<>(listed);
        outdated.removeIf(line -> line.equals(SkipList.WHOLE_GROUP) ? record.run.isEmpty() : !record.run.contains(line));
        Set<String> unknown = new TreeSet<>(listed);
        unknown.remove(SkipList.WHOLE_GROUP);
        Arrays.stream(record.group.getDeclaredMethods()).map(Method::getName).forEach(unknown::remove);
        if (!unlisted.isEmpty() || !outdated.isEmpty() || !unknown.isEmpty()) {
            throw new AssertionError("contract-skips/" + record.environment + ".txt and what was skipped of "
                    + record.group.getSimpleName() + " differ: skipped but not listed " + unlisted
                    + ", listed but run " + outdated + ", listed but unknown " + unknown);
        }
    }
}
