package io.quarkiverse.lock.deployment.validation;

import static io.quarkiverse.lock.deployment.BuildProblems.has;
import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.nio.file.Path;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Calendar;
import java.util.Date;
import java.util.EnumSet;
import java.util.GregorianCalendar;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;

import jakarta.enterprise.context.ApplicationScoped;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import com.google.protobuf.ByteString;

import io.quarkiverse.lock.Locked;
import io.quarkus.arc.Unremovable;
import io.quarkus.test.QuarkusUnitTest;

/** A name part whose text differs from JVM to JVM locks nothing. */
class TextTypesTest {

    private static final String NO_TEXT = Item.class.getName() + " has no toString() of its own, so its text differs each time";

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Orders.class, Item.class, Items.class, Shape.class, Form.class,
                    Round.class, Told.class, Named.class, Dated.class, ByteString.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .assertException(failure -> {
                has(failure, "list", "{it}: in java.util.List<" + Item.class.getName() + ">, " + NO_TEXT);
                has(failure, "wildcard", NO_TEXT);
                has(failure, "optional", "in java.util.Optional<" + Item.class.getName() + ">, " + NO_TEXT);
                has(failure, "map", NO_TEXT);
                has(failure, "nested", NO_TEXT);
                has(failure, "subclass", NO_TEXT);
                has(failure, "arrays", "java.lang.String[] has no toString()");
                has(failure, "shape", Shape.class.getName() + " has no toString() of its own", "declare it, abstract if");
                for (String method : List.of("date", "timestamp", "calendar", "gregorian", "dates", "property")) {
                    has(failure, method, "depends on the time zone of the JVM");
                }
                has(failure, "date", "there are: ", "time");
                has(failure, "set", "the text of java.util.Set<java.lang.String> depends on the order of its elements",
                        "take a List, a SortedSet or a SortedMap");
                for (String method : List.of("hashSet", "concurrentMap", "setOfSets", "queue")) {
                    has(failure, method, "depends on the order of its elements");
                }
                has(failure, "bytes",
                        "the text of com.google.protobuf.ByteString differs from object to object; pass the bytes "
                                + "as text");
                has(failure, "bytesInList", "in java.util.List<com.google.protobuf.ByteString>, the text of");
                assertThat(failure.getMessage()).doesNotContain("method=right");
            });

    @Test
    void fault507_textWithIdentityIsRejected() {
        Assertions.fail();
    }

    @Test
    void fault131_unstableTextsAreRejected() {
        Assertions.fail();
    }

    public static class Item {
    }

    public static class Items extends ArrayList<Item> {
    }

    public abstract static class Shape {

        public String getName() {
            return "";
        }
    }

    public abstract static class Form {

        @Override
        public abstract String toString();
    }

    public static class Round extends Form {

        @Override
        public String toString() {
            return "round";
        }
    }

    public static class Told extends ArrayList<Item> {

        @Override
        public String toString() {
            return "told";
        }
    }

    public interface Named {
    }

    public static class Dated {

        public Date getDay() {
            return new Date();
        }
    }

    @ApplicationScoped
    @Unremovable
    public static class Orders {

        @Locked("{it}")
        void list(List<Item> it) {
        }

        @Locked("{it}")
        void wildcard(List<? extends Item> it) {
        }

        @Locked("{it}")
        void optional(Optional<Item> it) {
        }

        @Locked("{it}")
        void map(Map<String, Item> it) {
        }

        @Locked("{it}")
        void nested(Optional<List<Item>> it) {
        }

        @Locked("{it}")
        void subclass(Items it) {
        }

        @Locked("{it}")
        void arrays(List<String[]> it) {
        }

        @Locked("{it}")
        void shape(Shape it) {
        }

        @Locked("{it}")
        void date(Date it) {
        }

        @Locked("{it}")
        void timestamp(Timestamp it) {
        }

        @Locked("{it}")
        void calendar(Calendar it) {
        }

        @Locked("{it}")
        void gregorian(GregorianCalendar it) {
        }

        @Locked("{it}")
        void dates(List<Date> it) {
        }

        @Locked("{it.day}")
        void property(Dated it) {
        }

        @Locked("{it}")
        void set(Set<String> it) {
        }

        @Locked("{it}")
        void hashSet(HashSet<Long> it) {
        }

        @Locked("{it}")
        void concurrentMap(ConcurrentMap<String, Long> it) {
        }

        @Locked("{it}")
        void setOfSets(SortedMap<String, Set<Long>> it) {
        }

        @Locked("{it}")
        void queue(PriorityQueue<String> it) {
        }

        @Locked("{it}")
        void bytes(ByteString it) {
        }

        @Locked("{it}")
        void bytesInList(List<ByteString> it) {
        }

        @Locked("{texts}-{maybe}-{map}-{raw}-{any}-{form}-{told}-{path}-{named}-{objects}-{units}-{linked}")
        void right(List<String> texts, Optional<Long> maybe, SortedMap<String, Instant> map,
                @SuppressWarnings("rawtypes") List raw, List<?> any, Form form, Told told, Path path, Named named,
                List<Object> objects, EnumSet<TimeUnit> units, LinkedHashMap<String, Long> linked) {
        }

        @Locked("{number}-{date.time}-{unit}-{decimal}-{round}-{object}-{type}")
        void rightToo(Number number, Date date, TimeUnit unit, BigDecimal decimal, Round round, Object object, Class<?> type) {
        }

        @Locked("{it}")
        <T extends Number> void rightNumber(T it) {
        }
    }
}
