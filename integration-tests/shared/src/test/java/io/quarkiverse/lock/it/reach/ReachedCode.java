package io.quarkiverse.lock.it.reach;

import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.MultiANewArrayInsnNode;
import org.objectweb.asm.tree.TryCatchBlockNode;
import org.objectweb.asm.tree.TypeInsnNode;

/**
 * The extension's methods that an application can reach, and the types that their code names: native-image refuses a method
 * that it reaches if such a type is absent, whether or not the code would ever run. Roughly as native-image does, it follows
 * calls from the application's own and generated classes. A method that is called on a type is reached in each class of which
 * an instance is made.
 */
public final class ReachedCode {

    private record Method(String owner, String name, String descriptor) {
    }

    private final Jars jars;
    private final Deque<Method> left = new ArrayDeque<>();
    private final Set<Method> reached = new HashSet<>();
    private final Set<String> touched = new HashSet<>();
    private final Set<String> made = new HashSet<>();
    /** Methods of those that nobody calls so far, by signature. */
    private final Map<String, List<Method>> uncalled = new HashMap<>();
    /** Signatures of methods that are called on some object. */
    private final Set<String> called = new HashSet<>();
    private final Set<String> missing = new TreeSet<>();

    private ReachedCode(Jars jars) {
        this.jars = jars;
    }

    /**
     * @param directory with the application's jar and those of its libraries
     * @param constructed classes of which some are made by reflection
     */
    public static ReachedCode of(Path directory, List<String> constructed) throws IOException {
        try (Jars jars = new Jars(directory)) {
            ReachedCode code = new ReachedCode(jars);
            for (String name : jars.ofApplication()) {
                for (MethodNode method : jars.find(name).methods) {
                    code.reach(new Method(name, method.name, method.desc));
                }
            }
            for (String name : constructed) {
                code.construct(name.replace('.', '/'));
            }
            code.follow();
            return code;
        }
    }

    /** The classes of the extension that are initialized. */
    public Set<String> classes() {
        return touched.stream().map(name -> name.replace('/', '.')).collect(Collectors.toSet());
    }

    /** Each type that does not exist, with the method that names it. */
    public Set<String> missingTypes() {
        return missing;
    }

    private void construct(String name) {
        ClassNode type = jars.ofExtension(name) ? jars.find(name) : null;
        if (type != null) {
            make(name);
            type.methods.stream().filter(method -> method.name.equals("<init>"))
                    .forEach(method -> reach(new Method(name, method.name, method.desc)));
        }
    }

    private void reach(Method method) {
        if (reached.add(method)) {
            left.add(method);
        }
    }

    private void follow() {
        while (!left.isEmpty()) {
            Method next = left.remove();
            ClassNode type = jars.find(next.owner);
            type.methods.stream().filter(method -> method.name.equals(next.name) && method.desc.equals(next.descriptor))
                    .forEach(method -> read(next, method));
        }
    }

    private void read(Method method, MethodNode code) {
        for (TryCatchBlockNode block : code.tryCatchBlocks) {
            if (block.type != null) {
                name(method, block.type);
            }
        }
        for (AbstractInsnNode instruction : code.instructions) {
            if (instruction instanceof TypeInsnNode typed) {
                name(method, typed.desc);
                if (typed.getOpcode() == Opcodes.NEW) {
                    make(typed.desc);
                }
            } else if (instruction instanceof MultiANewArrayInsnNode array) {
                name(method, array.desc);
            } else if (instruction instanceof FieldInsnNode field) {
                name(method, field.owner);
                touch(field.owner);
            } else if (instruction instanceof MethodInsnNode call) {
                call(method, call.owner, call.name, call.desc,
                        call.getOpcode() == Opcodes.INVOKEVIRTUAL || call.getOpcode() == Opcodes.INVOKEINTERFACE);
            } else if (instruction instanceof LdcInsnNode constant) {
                constant(method, constant.cst);
            } else if (instruction instanceof InvokeDynamicInsnNode dynamic) {
                for (Object argument : dynamic.bsmArgs) {
                    constant(method, argument);
                }
            }
        }
    }

    private void constant(Method method, Object constant) {
        if (constant instanceof Type type && type.getSort() != Type.METHOD) {
            name(method, type.getDescriptor());
        } else if (constant instanceof Handle handle && handle.getTag() >= Opcodes.H_INVOKEVIRTUAL) {
            if (handle.getTag() == Opcodes.H_NEWINVOKESPECIAL) {
                make(handle.getOwner());
            }
            call(method, handle.getOwner(), handle.getName(), handle.getDesc(),
                    handle.getTag() == Opcodes.H_INVOKEVIRTUAL || handle.getTag() == Opcodes.H_INVOKEINTERFACE);
        }
    }

    private void name(Method method, String type) {
        String element = type.startsWith("[") || type.endsWith(";") ? element(Type.getType(type)) : type;
        if (element != null && jars.ofExtension(method.owner) && !jars.exists(element)) {
            missing.add(method.owner.replace('/', '.') + "." + method.name + " names " + element.replace('/', '.'));
        }
    }

    private static @Nullable String element(Type type) {
        Type element = type.getSort() == Type.ARRAY ? type.getElementType() : type;
        return element.getSort() == Type.OBJECT ? element.getInternalName() : null;
    }

    private void call(Method from, String owner, String name, String descriptor, boolean onObject) {
        name(from, owner);
        touch(owner);
        declaring(owner, name, descriptor).ifPresent(this::reach);
        if (onObject && called.add(name + descriptor)) {
            uncalled.getOrDefault(name + descriptor, List.of()).forEach(this::reach);
        }
    }

    /** A method can be declared by a parent. */
    private Optional<Method> declaring(@Nullable String owner, String name, String descriptor) {
        ClassNode type = owner != null && jars.ofExtension(owner) ? jars.find(owner) : null;
        if (type == null) {
            return Optional.empty();
        }
        if (type.methods.stream().anyMatch(method -> method.name.equals(name) && method.desc.equals(descriptor))) {
            return Optional.of(new Method(owner, name, descriptor));
        }
        return parents(type).stream()
                .flatMap(parent -> declaring(parent, name, descriptor).stream()).findFirst();
    }

    /** The class is initialized. */
    private void touch(String name) {
        ClassNode type = jars.ofExtension(name) && touched.add(name) ? jars.find(name) : null;
        if (type == null) {
            return;
        }
        Method initializer = new Method(name, "<clinit>", "()V");
        reach(initializer);
        for (String parent : parents(type)) {
            name(initializer, parent);
            touch(parent);
        }
    }

    private void make(String name) {
        touch(name);
        if (made.add(name) && (jars.ofExtension(name) || jars.ofApplication().contains(name))) {
            ClassNode type = jars.find(name);
            if (jars.ofExtension(name)) {
                reachMethods(type);
            }
            parents(type).forEach(this::make);
        }
    }

    /** Others than the extension may call a method of theirs, too. */
    private void reachMethods(ClassNode type) {
        boolean ofOthers = parents(type).stream()
                .anyMatch(parent -> !jars.ofExtension(parent) && !parent.equals("java/lang/Object"));
        for (MethodNode method : type.methods) {
            if (!Modifier.isStatic(method.access) && !method.name.startsWith("<")) {
                String signature = method.name + method.desc;
                Method ofMade = new Method(type.name, method.name, method.desc);
                if (ofOthers || called.contains(signature)) {
                    reach(ofMade);
                } else {
                    uncalled.computeIfAbsent(signature, none -> new ArrayList<>()).add(ofMade);
                }
            }
        }
    }

    private static List<String> parents(ClassNode type) {
        return Stream.concat(Stream.ofNullable(type.superName), type.interfaces.stream()).toList();
    }
}
