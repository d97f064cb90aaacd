package io.quarkiverse.lock.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntUnaryOperator;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InterceptorBinding;
import jakarta.interceptor.InvocationContext;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import com.sun.management.ThreadMXBean;

import io.quarkiverse.lock.Locked;
import io.quarkus.test.QuarkusUnitTest;

/** What {@code @Locked} adds to an uncontended call on the in-JVM backend, once both compilers have compiled it. */
@Tag("compiled")
class UncontendedCallCostTest {

    /** The hold, its lease, its claim and its grant: see the engine's own test. */
    private static final long HANDLE_BYTES = 264;
    private static final int CALLS = 200_000;
    private static final int ROUNDS = 5;
    private static final int ATTEMPTS = 40;
    /** At most a microsecond, or this many times {@link #reference} on a slower machine. */
    private static final int REFERENCES = 24;
    private static final Map<Integer, long[]> MAP = new ConcurrentHashMap<>();

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Counter.class, Nothing.class, First.class, Second.class))
            .overrideConfigKey("quarkus.lock.backend", "local");

    @Inject
    Counter counter;

    @Test
    void lockedCallAddsUnderAMicrosecondAndOneHandle() {
        Cost plain = best(counter::plain);
        Cost intercepted = best(counter::intercepted);
        Cost locked = best(counter::locked);
        long reference = best(UncontendedCallCostTest::reference).nanos();
        for (int i = 0; i < ATTEMPTS && !isCheap(locked, intercepted, plain, reference); i++) { // compilers or neighbours busy
            locked = best(counter::locked);
            reference = Math.min(reference, best(UncontendedCallCostTest::reference).nanos());
        }
        System.out.printf(
                "plain call %d ns, %d B; with two empty interceptors %d ns, %d B; with @Locked %d ns, %d B; reference %d ns%n",
                plain.nanos(), plain.bytes(), intercepted.nanos(), intercepted.bytes(), locked.nanos(), locked.bytes(),
                reference);
        assertThat(locked.nanos() - plain.nanos()).isLessThan(most(reference));
        // The cost of invoking an interceptor is not ours; there are two because of transactions
        assertThat(locked.bytes() - intercepted.bytes()).isLessThanOrEqualTo(HANDLE_BYTES);
    }

    /** The kind of work that a lock does: it puts an object of its size into a map, and removes it. */
    private static int reference(int i) {
        MAP.put(i, new long[28]);
        return MAP.remove(i).length;
    }

    private static long most(long reference) {
        return Math.max(1_000, REFERENCES * reference);
    }

    private static boolean isCheap(Cost locked, Cost intercepted, Cost plain, long reference) {
        return locked.nanos() - plain.nanos() < most(reference) && locked.bytes() - intercepted.bytes() <= HANDLE_BYTES;
    }

    /** The best of several rounds: the machine may be busy with other things. */
    private static Cost best(IntUnaryOperator call) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long nanos = Long.MAX_VALUE;
        long bytes = Long.MAX_VALUE;
        for (int round = 0; round < ROUNDS; round++) {
            long bytesBefore = threads.getCurrentThreadAllocatedBytes();
            long start = threads.getCurrentThreadCpuTime(); // excludes the time in which other threads ran
            for (int i = 0; i < CALLS; i++) {
                call.applyAsInt(i);
            }
            nanos = Math.min(nanos, (threads.getCurrentThreadCpuTime() - start) / CALLS);
            bytes = Math.min(bytes, (threads.getCurrentThreadAllocatedBytes() - bytesBefore) / CALLS);
        }
        return new Cost(nanos, bytes);
    }

    record Cost(long nanos, long bytes) {
    }

    @ApplicationScoped
    static class Counter {

        private int sum;

        int plain(int i) {
            return sum += i;
        }

        @Nothing
        int intercepted(int i) {
            return sum += i;
        }

        @Locked("counter")
        int locked(int i) {
            return sum += i;
        }
    }

    @InterceptorBinding
    @Retention(RetentionPolicy.RUNTIME)
    @interface Nothing {
    }

    @Nothing
    @Interceptor
    @Priority(1)
    static class First {

        /** Keeps the compiler from eliminating the invocation object, as in any interceptor that does something. */
        static volatile InvocationContext last;

        @AroundInvoke
        Object proceed(InvocationContext invocation) throws Exception {
            last = invocation;
            return invocation.proceed();
        }
    }

    @Nothing
    @Interceptor
    @Priority(2)
    static class Second {

        @AroundInvoke
        Object proceed(InvocationContext invocation) throws Exception {
            First.last = invocation;
            return invocation.proceed();
        }
    }
}
