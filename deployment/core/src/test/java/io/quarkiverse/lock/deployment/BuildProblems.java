package io.quarkiverse.lock.deployment;

import static org.assertj.core.api.Assertions.assertThat;

/** The reasons why a build was refused. */
public final class BuildProblems {

    private final String message;

    public BuildProblems(Throwable failure) {
        this.message = failure.getMessage();
    }

    /** One of them names a method of this name, in any class, and contains all the texts. */
    public static void has(Throwable failure, String method, String... texts) {
        assertThat(failure.getMessage().lines().filter(line -> line.contains("method=" + method + "]")))
                .as("%s in %s", method, failure.getMessage()).anySatisfy(line -> assertThat(line).contains(texts));
    }

    /** One of them names the method and contains all the texts. */
    public void has(Class<?> type, String method, String... texts) {
        assertThat(message.lines().filter(line -> line.contains("[class=" + type.getName() + ", method=" + method + "]")))
                .as("%s.%s in %s", type.getSimpleName(), method, message)
                .anySatisfy(line -> assertThat(line).contains(texts));
    }

    /** One of them names the class, which carries the annotation, and contains all the texts. */
    public void hasClass(Class<?> type, String... texts) {
        assertThat(message.lines().filter(line -> line.contains("[class=" + type.getName() + "]")))
                .as("%s in %s", type.getSimpleName(), message)
                .anySatisfy(line -> assertThat(line).contains(texts));
    }

    public void nothingOf(Class<?>... types) {
        for (Class<?> type : types) {
            assertThat(message).doesNotContain("[class=" + type.getName());
        }
    }

    public static String put(Class<?> type, String method, String verb) {
        return "it is on a method that " + type.getName() + '.' + method + ' ' + verb + "; put it there";
    }
}
