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
 * Records what is looked up by name or by reflection, and by whom. Classes of the JDK call it, so the JVM's bootstrap class
 * loader loads it: it depends only on the JDK.
 */
public final class LookUps {

    /** Frames between the caller and the method that looks up on its behalf. */
    private static final String[] MACHINERY = { "java.lang.Class", "java.lang.ClassLoader", "java.lang.reflect.",
            "java.lang.invoke.", "java.util.ServiceLoader", "java.util.ResourceBundle", "java.util.stream.",
            "java.util.Iterator",
            "java.util.Spliterator", "java.util.concurrent.ConcurrentHashMap",
            "java.security.AccessController", "jdk.internal.", "io.quarkus.bootstrap.runner.", LookUps.class.getName() };

    private static final String PROXY = "java.lang.reflect.Proxy";
    private static final String STATIC_INIT = "io.quarkus.runner.ApplicationImpl";

    private static final StackWalker STACK = StackWalker.getInstance();
    private static final Set<String> SEEN = ConcurrentHashMap.newKeySet();
    /** Look-ups caused by writing are ignored. */
    private static final ThreadLocal<Boolean> BUSY = new ThreadLocal<>();
    private static volatile OutputStream out;

    private LookUps() {
    }

    /** Called by the agent, which another class loader has loaded. */
    public static void open(String file) throws IOException {
        out = new FileOutputStream(file, true);
    }

    /**
     * Called first by the changed methods.
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
     * {@code null} for what happens when an executable is built, and for what a proxy's class looks up, since it is created
     * then: neither is looked up when the executable runs.
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
