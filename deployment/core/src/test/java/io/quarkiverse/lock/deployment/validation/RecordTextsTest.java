package io.quarkiverse.lock.deployment.validation;

import static io.quarkiverse.lock.deployment.BuildProblems.has;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Date;
import java.util.List;
import java.util.Set;

import jakarta.enterprise.context.ApplicationScoped;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkus.arc.Unremovable;
import io.quarkus.test.QuarkusUnitTest;

/** The text of a record is made from its components, unless it writes its own. */
class RecordTextsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Orders.class, Item.class, Key.class, Bytes.class, Dated.class,
                    Tags.class, Outer.class, Box.class, Written.class, Plain.class, Node.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .assertException(failure -> {
                String item = Item.class.getName() + " has no toString() of its own, so its text differs each time";
                has(failure, "key", "{it}: in " + Key.class.getName() + ", " + item, "there are: item");
                has(failure, "list", "in " + Key.class.getName() + ", " + item);
                has(failure, "nested", "in " + Outer.class.getName() + ", in " + Key.class.getName() + ", " + item);
                has(failure, "box", item);
                has(failure, "bytes", "byte[] has no toString()");
                has(failure, "dated", "depends on the time zone of the JVM");
                has(failure, "tags", "depends on the order of its elements");
                assertThat(failure.getMessage()).doesNotContain("method=right");
            });

    @Test
    void fault163_recordsWithTextlessComponentsAreRejected() {
        Assertions.fail();
    }

    public static class Item {
    }

    public record Key(Item item) {
    }

    public record Bytes(byte[] bytes) {
    }

    public record Dated(Date day) {
    }

    public record Tags(Set<String> tags) {
    }

    public record Outer(String name, Key key) {
    }

    public record Box<T>(T content) {
    }

    public record Written(Item item) {

        @Override
        public String toString() {
            return "written";
        }
    }

    public record Plain(String text, long number) {
    }

    public record Node(String name, Node next) {
    }

    @ApplicationScoped
    @Unremovable
    public static class Orders {

        @Locked("{it}")
        void key(Key it) {
        }

        @Locked("{it}")
        void list(List<Key> it) {
        }

        @Locked("{it}")
        void nested(Outer it) {
        }

        @Locked("{it}")
        void box(Box<Item> it) {
        }

        @Locked("{it}")
        void bytes(Bytes it) {
        }

        @Locked("{it}")
        void dated(Dated it) {
        }

        @Locked("{it}")
        void tags(Tags it) {
        }

        @Locked("{written}-{plain}-{box}-{node}-{dated.day.time}-{any}")
        void right(Written written, Plain plain, Box<String> box, Node node, Dated dated, Box<?> any) {
        }
    }
}
