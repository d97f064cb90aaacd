package io.quarkiverse.lock.it.lookups;

/**
 * Something that was looked up while the application ran.
 *
 * @param kind the kind of look-up
 * @param subject the name of a class, a bundle or a resource; for a proxy, those of its interfaces, separated by commas
 * @param caller the name of the class that looked it up
 */
public record LookUp(Kind kind, String subject, String caller) {

    /** What is done with the subject. */
    public enum Kind {
        /** {@code Class.forName}. */
        CLASS,
        /** {@code ClassLoader.loadClass}; the JVM itself calls it as well. */
        LOADED,
        /** A constructor is requested or called. */
        CONSTRUCTOR,
        /** A method is requested or called. */
        METHOD,
        /** A field is requested. */
        FIELD,
        /** A proxy of interfaces is created. */
        PROXY,
        RESOURCE,
        BUNDLE,
        /** Providers of a service are requested. */
        SERVICE
    }

    static LookUp parse(String line) {
        String[] words = line.split("\t");
        return new LookUp(Kind.valueOf(words[0]), words[1], words[2]);
    }
}
