package io.quarkiverse.lock.runtime;

/** The name of a template without parts. */
record ConstantName(String name) implements LockName {

    @Override
    public String of(Object[] parameters) {
        return name;
    }
}
