package io.quarkiverse.lock.deployment.validation;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.AbstractCollection;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.interceptor.InterceptorBinding;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.Locked.OnBusy;
import io.quarkiverse.lock.deployment.BuildProblems;
import io.quarkus.arc.NoClassInterceptors;
import io.quarkus.arc.Unremovable;
import io.quarkus.hibernate.reactive.panache.PanacheQuery;
import io.quarkus.test.QuarkusUnitTest;

/** A class annotation also locks inherited methods that an application cannot change, such as those of a repository. */
class InheritedMethodsTest {

    private static final String INSTEAD = "put @Locked on the methods instead, or override this one with @NoClassInterceptors";

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(
                    jar -> jar.addClasses(Shelf.class, OwnMethod.class, Exempted.class, Guarded.class,
                            Base.class, Heir.class, Finders.class, Repository.class, PanacheQuery.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .assertException(failure -> {
                BuildProblems problems = new BuildProblems(failure);
                problems.has(Shelf.class, "stream", "java.util.Collection", "a List or an array", INSTEAD);
                problems.has(Shelf.class, "isEmpty", "onBusy = SKIP", "java.util.AbstractCollection", INSTEAD);
                problems.has(Shelf.class, "isEmpty", "'id' is not a parameter", INSTEAD);
                problems.has(OwnMethod.class, "helper", "Future", "return a value, a Uni",
                        "or, since the lock is on the class, make the method private, or exempt it with @NoClassInterceptors");
                problems.has(OwnMethod.class, "own", "Future", "return a value, a Uni");
                assertThat(failure.getMessage().lines().filter(line -> line.contains("method=own]")))
                        .as("callers need it").isNotEmpty().noneMatch(line -> line.contains("private"));
                assertThat(failure.getMessage().lines().filter(line -> line.contains(OwnMethod.class.getName())))
                        .noneMatch(line -> line.contains(INSTEAD));
                problems.nothingOf(Exempted.class);
                problems.has(Repository.class, "find", "PanacheQuery", "a List or an array", INSTEAD);
                problems.has(Heir.class, "guarded", "Future", "return a value, a Uni");
                assertThat(failure.getMessage().lines().filter(line -> line.contains(Heir.class.getName())))
                        .as("the annotation is on the method").noneMatch(line -> line.contains(INSTEAD));
            });

    @Test
    void doesNotBuild() {
        Assertions.fail();
    }

    @Locked(value = "shelf-{id}", onBusy = OnBusy.SKIP)
    @ApplicationScoped
    @Unremovable
    public static class Shelf extends AbstractCollection<String> {

        @Override
        @NoClassInterceptors
        public Iterator<String> iterator() {
            return List.of("book").iterator();
        }

        @Override
        @NoClassInterceptors
        public int size() {
            return 1;
        }
    }

    /** Like a {@code PanacheRepository} of Hibernate Reactive. */
    public interface Finders<T> {

        default PanacheQuery<T> find(String query) {
            return null;
        }
    }

    @Locked("repository")
    @ApplicationScoped
    @Unremovable
    public static class Repository implements Finders<String> {
    }

    @Locked("own")
    @ApplicationScoped
    @Unremovable
    public static class OwnMethod {

        public Future<String> own() {
            return null;
        }

        Future<String> helper() {
            return null;
        }
    }

    @Locked("guarded")
    @InterceptorBinding
    @Retention(RetentionPolicy.RUNTIME)
    public @interface Guarded {
    }

    public static class Base {

        @Guarded
        Future<String> guarded() {
            return null;
        }
    }

    @ApplicationScoped
    @Unremovable
    public static class Heir extends Base {
    }

    @Locked("exempted")
    @ApplicationScoped
    @Unremovable
    public static class Exempted extends AbstractCollection<String> {

        @Override
        public Iterator<String> iterator() {
            return List.of("book").iterator();
        }

        @Override
        public int size() {
            return 1;
        }

        @Override
        @NoClassInterceptors
        public Stream<String> stream() {
            return super.stream();
        }

        @Override
        @NoClassInterceptors
        public Stream<String> parallelStream() {
            return super.parallelStream();
        }
    }
}
