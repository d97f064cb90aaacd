package io.quarkiverse.lock.testkit.contract;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.queue.Claims;

/** What two engines share if their process was copied while it ran: everything that determines the tokens of their claims. */
final class CopiedState {

    private static final String OURS = "io.quarkiverse.lock.";

    private CopiedState() {
    }

    static void copy(LockEngine from, LockEngine to) {
        try {
            copy(tokens(from), tokens(to));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Object tokens(LockEngine of) throws ReflectiveOperationException {
        Object parts = read(LockEngine.class, "parts", of);
        Object checkpoint = read(parts.getClass(), "checkpoint", parts);
        return read(Claims.class, "tokens", read(checkpoint.getClass(), "claims", checkpoint));
    }

    private static Object read(Class<?> type, String name, Object from) throws ReflectiveOperationException {
        Field field = type.getDeclaredField(name);
        field.setAccessible(true);
        return field.get(from);
    }

    private static void copy(Object from, Object to) throws ReflectiveOperationException {
        for (Field field : from.getClass().getDeclaredFields()) {
            if (Modifier.isStatic(field.getModifiers())) {
                continue;
            }
            field.setAccessible(true);
            Object value = field.get(from);
            if (field.getType().isPrimitive()) {
                field.set(to, value);
            } else if (value instanceof AtomicLong number) {
                ((AtomicLong) field.get(to)).set(number.get());
            } else if (value instanceof Random) {
                throw new AssertionError(field + " has a state that is copied with the process");
            } else if (value != null && value.getClass().getName().startsWith(OURS)) {
                copy(value, field.get(to));
            }
        }
    }
}
