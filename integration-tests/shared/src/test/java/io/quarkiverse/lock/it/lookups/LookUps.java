package io.quarkiverse.lock.it.lookups;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.StackWalker.StackFrame;
import java.lang.reflect.Member;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Writes down what is looked up by name or by reflection, and by whom. It is called by classes of the JDK, so the JVM's first
 * class loader loads it: it needs nothing but the JDK.
 */
public final class LookUps {

    /** Between the one who looks up and what does it for it. */
    private static final String[] MACHINERY = { "java.lang.Class", "java.lang.ClassLoader", "java.lang.reflect.",
            "java.lang.invoke.", "java.util.ServiceLoader", "java.util.ResourceBundle", "java.util.stream.",
            "java.util.Iterator",
            "java.util.Spliterator", "java.util.concurrent.ConcurrentHashMap",
            "java.security.AccessController", "jdk.internal.", "io.quarkus.bootstrap.runner.", LookUps.class.getName() };

    private static final String PROXY = "java.lang.reflect.Proxy";
    private static final String STATIC_INIT = "io.quarkus.runner.ApplicationImpl";

    private static final StackWalker STACK = StackWalker.getInstance();
    private static final Set<String> SEEN = ConcurrentHashMap.newKeySet();
    /** What writing does is nobody's look-up. */
    private static final ThreadLocal<Boolean> BUSY = new ThreadLocal<>();
    private static volatile OutputStream out;

    private LookUps() {
    }

    /** By the agent, which another class loader has loaded. */
    public static void open(String file) throws IOException {
        out = new FileOutputStream(file, true);
    }

    /**
     * What the changed methods call first.
     *
     * @param kind one of {@link LookUp.Kind}
     * @param subject a name, a class, or a member of one
     */
    public static void record(String kind, Object subject) {
        if (out == null || subject == null || BUSY.get() != null) {
            return;
        }
        BUSY.set(true);
        try {
            String caller = STACK.walk(frames -> caller(kind, frames));
            String line = kind + '\t' + text(subject) + '\t' + caller + '\n';
            if (caller != null && SEEN.add(line)) {
                synchronized (SEEN) {
                    out.write(line.getBytes(StandardCharsets.UTF_8));
                }
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } finally {
            BUSY.remove();
        }
    }

    /**
     * {@code null} for what is done when an executable is built, and for what a proxy's class looks up, which is made then: it
     * is not looked up when the executable runs.
     */
    private static String caller(String kind, Stream<StackFrame> frames) {
        String caller = null;
        for (var all = frames.iterator(); all.hasNext();) {
            StackFrame frame = all.next();
            if (caller == null && frame.getClassName().equals(PROXY) && !kind.equals("PROXY")) {
                return null;
            }
            if (caller == null && looksUp(frame.getClassName())) {
                caller = frame.getClassName();
            }
            if (frame.getClassName().equals(STATIC_INIT) && frame.getMethodName().equals("<clinit>")) {
                return null;
            }
        }
        return caller;
    }

    private static boolean looksUp(String frame) {
        for (String prefix : MACHINERY) {
            if (frame.startsWith(prefix)) {
                return false;
            }
        }
        return true;
    }

    private static String text(Object subject) {
        if (subject instanceof Class<?> type) {
            return type.getName();
        }
        if (subject instanceof Member member) {
            return member.getDeclaringClass().getName();
        }
        if (subject instanceof Class<?>[] types) {
            return Stream.of(types).map(Class::getName).collect(Collectors.joining(","));
        }
        return subject.toString();
    }
}
