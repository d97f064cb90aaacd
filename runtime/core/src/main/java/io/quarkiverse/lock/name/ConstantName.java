package io.quarkiverse.lock.name;

/** The name of a template without parts. */
public record ConstantName(String name) implements LockName {

    @Override
    public String of(Object[] parameters) {
        return name;
    }
}
