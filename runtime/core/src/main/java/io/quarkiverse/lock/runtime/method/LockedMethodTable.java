package io.quarkiverse.lock.runtime.method;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/** A hash table with a bean class and a method as key. It is read at each locked call, so it creates no key objects. */
final class LockedMethodTable {

    private final Class<?>[] beanClasses;
    private final Method[] methods;
    private final LockedMethod[] values;
    private final int mask;

    LockedMethodTable(int size) {
        int capacity = Integer.highestOneBit(Math.max(4, size)) << 2;
        beanClasses = new Class<?>[capacity];
        methods = new Method[capacity];
        values = new LockedMethod[capacity];
        mask = capacity - 1;
    }

    /** Call it no more often than the table was sized for. */
    void put(Class<?> beanClass, Method method, LockedMethod value) {
        int slot = slot(beanClass, method);
        while (beanClasses[slot] != null) {
            slot = (slot + 1) & mask;
        }
        beanClasses[slot] = beanClass;
        methods[slot] = method;
        values[slot] = value;
    }

    @Nullable
    LockedMethod find(Class<?> beanClass, Method method) {
        int slot = slot(beanClass, method);
        while (beanClasses[slot] != null) {
            // every instance of a bean has its own Method objects: equal, but not identical
            if (beanClasses[slot] == beanClass && methods[slot].equals(method)) {
                return values[slot];
            }
            slot = (slot + 1) & mask;
        }
        return null;
    }

    private int slot(Class<?> beanClass, Method method) {
        int hash = beanClass.hashCode() * 31 + method.hashCode();
        return (hash ^ hash >>> 16) & mask;
    }
}
