package io.quarkiverse.lock.it.lookups;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

import com.fasterxml.jackson.databind.JsonNode;

import io.quarkiverse.lock.it.NativeSources;
import io.quarkiverse.lock.it.lookups.LookUp.Kind;

/** How an executable would answer look-ups: from the input of native-image, and from what it finds out by itself. */
final class Registrations implements AutoCloseable {

    /** The outcome of a look-up. */
    enum Answer {
        REGISTERED,
        /** Its argument is a constant in the caller's code, where native-image sees it. */
        CONSTANT,
        /** It does not exist on a JVM either. */
        ABSENT,
        /** It is found on a JVM, but an executable would not find it. */
        MISSING
    }

    private final Map<String, JsonNode> classes = new HashMap<>();
    private final List<Pattern> resources = NativeSources.includedResources();
    private final List<String> bundles = NativeSources.bundles();
    private final List<String> proxies = NativeSources.proxies();
    /** The application with its libraries. */
    private final URLClassLoader application;

    private final Set<String> withdrawn;

    /** @param withdrawn classes, bundles and resources that are treated as not registered, although they are */
    Registrations(Set<String> withdrawn) throws IOException {
        this.withdrawn = withdrawn;
        NativeSources.reflection().forEach(type -> classes.put(type.get("name").asText(), type));
        List<URL> jars = new ArrayList<>();
        try (var files = Files.walk(NativeSources.directory())) {
            for (Path jar : files.filter(file -> file.toString().endsWith(".jar")).toList()) {
                jars.add(jar.toUri().toURL());
            }
        }
        application = new URLClassLoader(jars.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    }

    /** Whether code requested it by name: the JVM loads classes with the same method. */
    boolean isByName(LookUp lookUp) {
        return lookUp.kind() != Kind.LOADED || calls(lookUp.caller(), "loadClass");
    }

    Answer answer(LookUp lookUp) {
        if (!exists(lookUp)) {
            return Answer.ABSENT;
        }
        if (isRegistered(lookUp)) {
            return Answer.REGISTERED;
        }
        return isConstant(lookUp) ? Answer.CONSTANT : Answer.MISSING;
    }

    private boolean exists(LookUp lookUp) {
        return switch (lookUp.kind()) {
            case RESOURCE -> application.getResource(lookUp.subject()) != null;
            case BUNDLE, PROXY, SERVICE -> true;
            case CLASS, LOADED, CONSTRUCTOR, METHOD, FIELD -> code(lookUp.subject()) != null;
        };
    }

    private boolean isRegistered(LookUp lookUp) {
        if (withdrawn.contains(lookUp.subject())) {
            return false;
        }
        if (bundles.contains(lookUp.subject())) {
            return true; // including its class, if it is one
        }
        JsonNode type = classes.get(lookUp.subject());
        return switch (lookUp.kind()) {
            case CLASS, LOADED -> type != null;
            case CONSTRUCTOR -> type != null && has(type, "allDeclaredConstructors", "allPublicConstructors", "methods");
            // Native-image registers the methods of a proxy's interfaces
            case METHOD -> proxies.stream().anyMatch(proxy -> List.of(proxy.split(",")).contains(lookUp.subject()))
                    || type != null && has(type, "allDeclaredMethods", "allPublicMethods", "methods");
            case FIELD -> type != null && has(type, "allDeclaredFields", "allPublicFields", "fields");
            case RESOURCE -> resources.stream().anyMatch(pattern -> pattern.matcher(lookUp.subject()).matches());
            case PROXY -> proxies.contains(lookUp.subject());
            case BUNDLE, SERVICE -> false;
        };
    }

    private static boolean has(JsonNode type, String... any) {
        for (String each : any) {
            JsonNode value = type.get(each);
            if (value != null && (value.asBoolean() || value.size() > 0)) {
                return true;
            }
        }
        return false;
    }

    private boolean isConstant(LookUp lookUp) {
        var seen = new boolean[1];
        visitCalls(lookUp.caller(), (owner, method, constants) -> {
            if (isOf(lookUp.kind(), owner, method) && constants.contains(lookUp.subject())) {
                seen[0] = true;
            }
        });
        return seen[0];
    }

    /** Only for the JDK's own methods, and class loaders: native-image does not follow a name through other code. */
    private static boolean isOf(Kind kind, String owner, String method) {
        return switch (kind) {
            case CLASS -> owner.equals("java/lang/Class") && method.equals("forName");
            case LOADED -> owner.endsWith("ClassLoader") && method.equals("loadClass");
            case SERVICE -> owner.equals("java/util/ServiceLoader") && method.equals("load");
            case BUNDLE -> owner.equals("java/util/ResourceBundle") && method.equals("getBundle");
            case CONSTRUCTOR -> owner.equals("java/lang/Class") && method.endsWith("Constructor");
            case METHOD -> owner.equals("java/lang/Class") && method.endsWith("Method");
            case FIELD -> owner.equals("java/lang/Class") && method.endsWith("Field");
            // Native-image includes no resource by itself
            case RESOURCE, PROXY -> false;
        };
    }

    private boolean calls(String caller, String wanted) {
        var seen = new boolean[1];
        visitCalls(caller, (owner, method, constants) -> seen[0] |= method.equals(wanted));
        return seen[0];
    }

    private interface Calls {

        /** @param constants names and classes that were pushed on the stack since the previous call */
        void call(String owner, String method, List<String> constants);
    }

    private void visitCalls(String caller, Calls calls) {
        byte[] code = code(caller);
        if (code == null) {
            return;
        }
        new ClassReader(code).accept(new ClassVisitor(Opcodes.ASM9) {
            @Override
            public MethodVisitor visitMethod(int access, String name, String descriptor, String signature,
                    String[] exceptions) {
                return new MethodVisitor(Opcodes.ASM9) {

                    private final List<String> constants = new ArrayList<>();
                    private boolean lastIsClass;

                    @Override
                    public void visitLdcInsn(Object value) {
                        lastIsClass = value instanceof Type;
                        constants.add(value instanceof Type type ? type.getClassName() : value.toString());
                    }

                    @Override
                    public void visitMethodInsn(int opcode, String owner, String method, String type, boolean isInterface) {
                        calls.call(owner, method, constants);
                        // The loader is fetched between the name and the call, often from a class that nobody looks up
                        if (method.equals("getClassLoader") && lastIsClass) {
                            constants.remove(constants.size() - 1);
                        } else if (!method.endsWith("ClassLoader")) {
                            constants.clear();
                        }
                        lastIsClass = false;
                    }
                };
            }
        }, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
    }

    private byte @Nullable [] code(String type) {
        try (InputStream code = application.getResourceAsStream(type.replace('.', '/') + ".class")) {
            return code == null ? null : code.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        application.close();
    }
}
