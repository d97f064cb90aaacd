package io.quarkiverse.lock.it.lookups;

/**
 * Something that was looked up while the application ran.
 *
 * @param kind of look-up
 * @param subject the name of a class, of a bundle or of a resource; those of a proxy's interfaces, with commas between them
 * @param caller the name of the class that asked for it
 */
public record LookUp(Kind kind, String subject, String caller) {

    /** What is done with the subject. */
    public enum Kind {
        /** {@code Class.forName}. */
        CLASS,
        /** {@code ClassLoader.loadClass}; the JVM itself calls it as well. */
        LOADED,
        /** A constructor is asked for, or called. */
        CONSTRUCTOR,
        /** A method is asked for, or called. */
        METHOD,
        /** A field is asked for. */
        FIELD,
        /** A proxy of interfaces is made. */
        PROXY,
        RESOURCE,
        BUNDLE,
        /** Providers of a service are asked for. */
        SERVICE
    }

    static LookUp parse(String line) {
        String[] words = line.split("\t");
        return new LookUp(Kind.valueOf(words[0]), words[1], words[2]);
    }
}
