package io.quarkiverse.lock.it.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What others may compile against: a line for each type and member, with everything that compiled callers depend on. */
final class PublicApi {

    private PublicApi() {
    }

    /** The public types of a package, in the artifact that contains {@code member}. */
    static SortedSet<String> ofPackage(Class<?> member) {
        SortedSet<String> lines = new TreeSet<>();
        for (String name : typesBeside(member)) {
            Class<?> type = load(name, member.getClassLoader());
            if (isAccessible(type)) {
                describe(type, lines);
            }
        }
        return lines;
    }

    private static SortedSet<String> typesBeside(Class<?> member) {
        String directory = member.getPackageName().replace('.', '/');
        try {
            Path artifact = Path.of(member.getProtectionDomain().getCodeSource().getLocation().toURI());
            if (Files.isDirectory(artifact)) {
                return typesIn(artifact.resolve(directory), member.getPackageName());
            }
            try (FileSystem jar = FileSystems.newFileSystem(artifact)) {
                return typesIn(jar.getPath(directory), member.getPackageName());
            }
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static SortedSet<String> typesIn(Path directory, String packageName) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(file -> file.endsWith(".class") && !file.equals("package-info.class"))
                    .map(file -> packageName + "." + file.substring(0, file.length() - ".class".length()))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private static Class<?> load(String name, ClassLoader loader) {
        try {
            return Class.forName(name, false, loader);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean isAccessible(Class<?> type) {
        Class<?> enclosing = type.getEnclosingClass();
        boolean isNamed = !type.isAnonymousClass() && !type.isLocalClass() && !type.isSynthetic();
        return isNamed && isAccessible(type.getModifiers()) && (enclosing == null || isAccessible(enclosing));
    }

    private static boolean isAccessible(int modifiers) {
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }

    private static void describe(Class<?> type, SortedSet<String> lines) {
        String name = type.getName();
        lines.add(name + ": " + modifiers(type.getModifiers() & ~Modifier.INTERFACE) + kind(type)
                + parameters(type.getTypeParameters())
                + (type.getGenericSuperclass() == null ? "" : " extends " + type.getGenericSuperclass().getTypeName())
                + list(" implements ", type.getGenericInterfaces())
                + (type.isSealed() ? list(" permits ", type.getPermittedSubclasses()) : ""));
        for (Field field : type.getDeclaredFields()) {
            if (isAccessible(field.getModifiers()) && !field.isSynthetic()) {
                lines.add(name + ": " + modifiers(field.getModifiers()) + field.getGenericType().getTypeName() + " "
                        + field.getName()
                        + constant(field));
            }
        }
        for (Constructor<?> constructor : type.getDeclaredConstructors()) {
            if (isAccessible(constructor.getModifiers()) && !constructor.isSynthetic()) {
                lines.add(name + ": " + signature(constructor, ""));
            }
        }
        // A parent that nobody else can see contributes its public methods to this type
        for (Class<?> owner = type; owner != null && (owner == type || !isAccessible(owner)); owner = owner.getSuperclass()) {
            for (Method method : owner.getDeclaredMethods()) {
                if (isAccessible(method.getModifiers()) && !method.isSynthetic()) {
                    Object value = method.getDefaultValue();
                    lines.add(name + ": " + (method.isDefault() ? "default " : "")
                            + signature(method, method.getGenericReturnType().getTypeName() + " ")
                            + (value == null ? ""
                                    : " default " + (value instanceof Object[] all ? Arrays.toString(all) : value)));
                }
            }
        }
    }

    private static String kind(Class<?> type) {
        return type.isAnnotation() ? "@interface"
                : type.isInterface() ? "interface" : type.isEnum() ? "enum" : type.isRecord() ? "record" : "class";
    }

    private static String signature(Executable executable, String result) {
        boolean isConstructor = executable instanceof Constructor<?>;
        return modifiers(executable.getModifiers()) + spaced(parameters(executable.getTypeParameters())) + result
                + (isConstructor ? "new" : executable.getName()) + "("
                + Stream.of(executable.getGenericParameterTypes()).map(Type::getTypeName).collect(Collectors.joining(", "))
                + ")"
                + list(" throws ", executable.getGenericExceptionTypes());
    }

    private static String modifiers(int modifiers) {
        int ofTheDeclaration = modifiers
                & (Modifier.PUBLIC | Modifier.PROTECTED | Modifier.STATIC | Modifier.ABSTRACT | Modifier.FINAL);
        return ofTheDeclaration == 0 ? "" : Modifier.toString(ofTheDeclaration) + " ";
    }

    private static String spaced(String text) {
        return text.isEmpty() ? "" : text + " ";
    }

    private static String parameters(TypeVariable<?>[] variables) {
        return variables.length == 0 ? ""
                : Stream.of(variables).map(each -> each.getName() + list(" extends ", each.getBounds()))
                        .collect(Collectors.joining(", ", "<", ">"));
    }

    private static String list(String before, Type[] types) {
        return types.length == 0 ? "" : before + Stream.of(types).map(Type::getTypeName).collect(Collectors.joining(", "));
    }

    /** Compilers copy the value of a constant into the code that uses it. */
    private static String constant(Field field) {
        boolean isCopied = Modifier.isStatic(field.getModifiers()) && Modifier.isFinal(field.getModifiers())
                && (field.getType().isPrimitive() || field.getType() == String.class);
        try {
            return isCopied ? " = " + field.get(null) : "";
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }
}
