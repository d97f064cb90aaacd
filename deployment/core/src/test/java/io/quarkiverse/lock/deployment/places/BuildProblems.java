package io.quarkiverse.lock.deployment.places;

import static org.assertj.core.api.Assertions.assertThat;

/** What a build was refused for. */
final class BuildProblems {

    private final String message;

    BuildProblems(Throwable failure) {
        this.message = failure.getMessage();
    }

    /** One of them names the method and has all the texts. */
    void has(Class<?> type, String method, String... texts) {
        assertThat(message.lines().filter(line -> line.contains("[class=" + type.getName() + ", method=" + method + "]")))
                .as("%s.%s in %s", type.getSimpleName(), method, message)
                .anySatisfy(line -> assertThat(line).contains(texts));
    }

    /** One of them names the class, which carries the annotation, and has all the texts. */
    void hasClass(Class<?> type, String... texts) {
        assertThat(message.lines().filter(line -> line.contains("[class=" + type.getName() + "]")))
                .as("%s in %s", type.getSimpleName(), message)
                .anySatisfy(line -> assertThat(line).contains(texts));
    }

    void nothingOf(Class<?>... types) {
        for (Class<?> type : types) {
            assertThat(message).doesNotContain("[class=" + type.getName());
        }
    }

    static String put(Class<?> type, String method, String verb) {
        return "it stands on a method that " + type.getName() + '.' + method + ' ' + verb + "; put it there";
    }
}
