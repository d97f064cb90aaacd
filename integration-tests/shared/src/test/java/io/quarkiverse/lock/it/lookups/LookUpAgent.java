package io.quarkiverse.lock.it.lookups;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.security.ProtectionDomain;
import java.util.List;
import java.util.ResourceBundle;
import java.util.ServiceLoader;
import java.util.jar.JarFile;

import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

import io.quarkiverse.lock.it.lookups.LookUp.Kind;

/** Makes the JDK's reflection methods report to {@link LookUps}. Runs inside the application, before its first line. */
public final class LookUpAgent {

    /** One of the JDK's methods that look something up, with any parameters. */
    private record Told(Class<?> of, String method, Kind kind) {
    }

    private static final List<Told> METHODS = List.of(
            new Told(Class.class, "forName", Kind.CLASS),
            new Told(ClassLoader.class, "loadClass", Kind.LOADED),
            new Told(Class.class, "getDeclaredConstructor", Kind.CONSTRUCTOR),
            new Told(Class.class, "getDeclaredConstructors", Kind.CONSTRUCTOR),
            new Told(Class.class, "getConstructor", Kind.CONSTRUCTOR),
            new Told(Class.class, "getConstructors", Kind.CONSTRUCTOR),
            new Told(Class.class, "getDeclaredMethod", Kind.METHOD),
            new Told(Class.class, "getDeclaredMethods", Kind.METHOD),
            new Told(Class.class, "getMethod", Kind.METHOD),
            new Told(Class.class, "getMethods", Kind.METHOD),
            new Told(Class.class, "getDeclaredField", Kind.FIELD),
            new Told(Class.class, "getDeclaredFields", Kind.FIELD),
            new Told(Class.class, "getField", Kind.FIELD),
            new Told(Class.class, "newInstance", Kind.CONSTRUCTOR),
            new Told(Constructor.class, "newInstance", Kind.CONSTRUCTOR),
            new Told(Method.class, "invoke", Kind.METHOD),
            new Told(Proxy.class, "newProxyInstance", Kind.PROXY),
            new Told(ClassLoader.class, "getResource", Kind.RESOURCE),
            new Told(ClassLoader.class, "getResources", Kind.RESOURCE),
            new Told(ClassLoader.class, "getResourceAsStream", Kind.RESOURCE),
            new Told(ResourceBundle.class, "getBundle", Kind.BUNDLE),
            new Told(ServiceLoader.class, "load", Kind.SERVICE));

    private LookUpAgent() {
    }

    /** @param arguments the jar with {@link LookUps}, and the file to write to */
    public static void premain(String arguments, Instrumentation jvm) throws Exception {
        String[] files = arguments.split(",", 2);
        jvm.appendToBootstrapClassLoaderSearch(new JarFile(files[0]));
        LookUps.open(files[1]);
        Class<?>[] changed = METHODS.stream().map(Told::of).distinct().toArray(Class[]::new);
        jvm.addTransformer(new Telling(), true);
        jvm.retransformClasses(changed);
    }

    private static final class Telling implements ClassFileTransformer {

        @Override
        public byte[] transform(ClassLoader loader, String name, Class<?> type, ProtectionDomain domain, byte[] code) {
            List<Told> told = METHODS.stream().filter(each -> each.of == type).toList();
            if (told.isEmpty()) {
                return null;
            }
            var reader = new ClassReader(code);
            var writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
            reader.accept(new ClassVisitor(Opcodes.ASM9, writer) {
                @Override
                public MethodVisitor visitMethod(int access, String method, String descriptor, String signature,
                        String[] exceptions) {
                    MethodVisitor visitor = super.visitMethod(access, method, descriptor, signature, exceptions);
                    return told.stream().filter(each -> each.method.equals(method)
                            && (access & (Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE | Opcodes.ACC_PRIVATE)) == 0).findFirst()
                            .map(each -> (MethodVisitor) new Beginning(visitor, each.kind, subject(each, access, descriptor)))
                            .orElse(visitor);
                }
            }, 0);
            return writer.toByteArray();
        }

        /** The index of the local variable: the first argument that says what is looked up, or else the object itself. */
        private static int subject(Told told, int access, String descriptor) {
            int first = (access & Opcodes.ACC_STATIC) == 0 ? 1 : 0;
            return switch (told.kind) {
                case CLASS -> Type.getArgumentTypes(descriptor)[0].getSort() == Type.OBJECT
                        && Type.getArgumentTypes(descriptor)[0].getClassName().equals("java.lang.Module") ? first + 1 : first;
                case LOADED, RESOURCE, BUNDLE -> first;
                case SERVICE -> Type.getArgumentTypes(descriptor)[0].getClassName().equals("java.lang.ModuleLayer") ? first + 1
                        : first;
                case PROXY -> first + 1;
                case CONSTRUCTOR, METHOD, FIELD -> 0;
            };
        }
    }

    private static final class Beginning extends MethodVisitor {

        private final Kind kind;
        private final int subject;

        Beginning(MethodVisitor next, Kind kind, int subject) {
            super(Opcodes.ASM9, next);
            this.kind = kind;
            this.subject = subject;
        }

        @Override
        public void visitCode() {
            super.visitCode();
            visitLdcInsn(kind.name());
            visitVarInsn(Opcodes.ALOAD, subject);
            visitMethodInsn(Opcodes.INVOKESTATIC, "io/quarkiverse/lock/it/lookups/LookUps", "record",
                    "(Ljava/lang/String;Ljava/lang/Object;)V", false);
        }
    }
}
