package io.quarkiverse.lock.deployment.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.sql.Timestamp;
import java.util.AbstractCollection;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Date;
import java.util.EnumSet;
import java.util.GregorianCalendar;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Hashtable;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.HeldLock;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkus.arc.Arc;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.tuples.Tuple2;

/** What a parameter's type leaves open is checked when the method is called. */
class TextlessValuesTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Orders.class, Product.class, Book.class, Numbered.class,
                    Reflected.class, Told.class, Looks.class, Names.class, Items.class, Basket.class, Bean.class,
                    ToldBean.class))
            .overrideConfigKey("quarkus.lock.backend", "local");

    @Inject
    Orders orders;

    @Inject
    Bean bean;

    @Inject
    ToldBean told;

    @Test
    void fault167_valuesWithoutToStringAreRejected() {
        refused(() -> orders.object(new Book()), Book.class.getName());
        refused(() -> orders.object(new byte[1]), "[B");
        refused(() -> orders.object(new Numbered(7)), Numbered.class.getName());
        refused(() -> orders.supplier(() -> "text"), "Lambda");
        refused(() -> orders.sealed(new Book()), Book.class.getName());
        refused(() -> orders.uni(new Book()).await().indefinitely(), Book.class.getName());
    }

    @Test
    void fault171_elementsWithoutToStringAreRejected() {
        refused(() -> orders.object(List.of(new Book())), Book.class.getName());
        refused(() -> orders.object(Optional.of(List.of("text", new byte[1]))), "[B");
        refused(() -> orders.object(Map.entry("text", new Book())), Book.class.getName());
        refused(() -> orders.object(new TreeMap<>(Map.of("text", new Book()))), Book.class.getName());
        refused(() -> orders.object(new AtomicReference<>(new Book())), Book.class.getName());
        refused(() -> orders.object(new CompletableFuture<>()), "CompletableFuture");
        refused(() -> orders.maybe(Optional.of(() -> "text")), "Lambda");
        refused(() -> orders.object(new AtomicReference<>(List.of(new Book()))), Book.class.getName());
        refused(() -> orders.object(new AtomicReferenceArray<>(new Book[] { new Book(), null })), Book.class.getName());
    }

    @Test
    void fault171_contentsOfForeignClassesAreChecked() {
        refused(() -> orders.object(Tuple2.of("text", new Book())), Book.class.getName());
        refused(() -> orders.object(new Basket(new Book())), Book.class.getName());
        refused(() -> orders.anything(new Basket("text", new byte[1])), "[B");
        refused(() -> orders.object(List.of(new Basket(Optional.of(new Book())))), Book.class.getName());
        refused(() -> orders.object(new Basket(new Date(0))), "", "time zone");
        assertThat(orders.object(Tuple2.of("text", 1))).isEqualTo("Tuple{item1=text, item2=1}");
        assertThat(orders.object(new Basket("text", 1))).isEqualTo("[text, 1]");
    }

    @Test
    void fault171_selfContainingCollectionsAreHandled() {
        List<Object> list = new ArrayList<>(List.of(1));
        list.add(list);
        assertThat(orders.object(list)).isEqualTo("[1, (this Collection)]");
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("one", map);
        assertThat(orders.object(map)).isEqualTo("{one=(this Map)}");
        Items one = new Items();
        Items other = new Items();
        one.contents.add(other);
        other.contents.add(one);
        assertThat(orders.object(one)).isEqualTo("items");
        list.add(new Book());
        refused(() -> orders.object(list), Book.class.getName());
    }

    @Test
    void fault171_threadsAreRejectedAsNames() {
        refused(() -> orders.object(Thread.currentThread()), "", "JVM to JVM");
        refused(() -> orders.object(List.of(new Thread())), "", "JVM to JVM");
    }

    /** The JDK gives them the same class, whether they have an order or not. */
    @Test
    void fault171_viewsOfUnknownOrderAreRejected() {
        var values = new TreeMap<>(Map.of("one", 1, "two", 2)).headMap("x").values();
        refused(() -> orders.object(values), values, "may differ from JVM to JVM; pass a List");
    }

    @Test
    void fault171_jvmDependentTextsAreRejected() {
        Map<String, Long> table = Map.of("one", 1L, "two", 2L);
        for (Object each : List.of(table, new HashMap<>(table), table.keySet(), new HashMap<>(table).values(),
                table.values(), Set.of("one", "two"), new HashSet<>(Set.of("one", "two")),
                Collections.unmodifiableSet(table.keySet()), new ConcurrentHashMap<>(table), Optional.of(table.keySet()))) {
            refused(() -> orders.object(each), each, "order");
        }
        refused(() -> orders.collection(Set.of("one", "two")), Set.of(), "order");
        for (Object each : List.of(new Date(0), new Timestamp(0), new GregorianCalendar(), List.of(new Date(0)))) {
            refused(() -> orders.object(each), each, "time zone");
        }
        refused(() -> orders.object(InetAddress.getLoopbackAddress()), "", "looked up");
    }

    /** Most collections of the JDK that are neither lists nor sets are views of some other collection. */
    @Test
    void fault171_unorderedCollectionsAreRejected() {
        Set<String> set = Set.of("one", "two");
        for (Collection<String> each : List.of(Collections.unmodifiableCollection(set),
                Collections.synchronizedCollection(new HashMap<>(Map.of(1, "one", 2, "two")).values()),
                Collections.checkedCollection(new HashSet<>(set), String.class),
                Collections.unmodifiableMap(Map.of(1, "one", 2, "two")).values(),
                new Hashtable<>(Map.of(1, "one", 2, "two")).values(),
                new PriorityQueue<>(set), new PriorityBlockingQueue<>(set),
                Collections.checkedQueue(new PriorityQueue<>(set), String.class))) {
            refused(() -> orders.collection(each), each, "the order of its elements");
        }
    }

    @Test
    void orderedCollectionsAreAccepted() {
        List<String> list = List.of("b", "a");
        var table = new LinkedHashMap<>(Map.of(1, "b"));
        table.put(2, "a");
        for (Collection<String> each : List.of(list, Collections.unmodifiableList(list), new LinkedList<>(list),
                new ArrayDeque<>(list), new LinkedBlockingDeque<>(list), new ConcurrentLinkedDeque<>(list),
                Collections.asLifoQueue(new ArrayDeque<>(list)), new ConcurrentLinkedQueue<>(list),
                new LinkedBlockingQueue<>(list), new ArrayBlockingQueue<>(2, true, list), new LinkedTransferQueue<>(list),
                table.values(), new TreeMap<>(table).values(), new ConcurrentSkipListMap<>(table).values())) {
            assertThat(orders.collection(each)).as("%s", each.getClass()).isEqualTo("[b, a]");
        }
        assertThat(orders.collection(Collections.unmodifiableCollection(Set.of("one")))).isEqualTo("[one]");
    }

    @Test
    void fault380_textWithObjectIdentityIsRejected() {
        refused(() -> orders.object(new Reflected()), Reflected.class.getName());
        refused(() -> orders.object(new Reflected() {
        }), TextlessValuesTest.class.getName());
        refused(() -> orders.reflected(new Reflected()), Reflected.class.getName());
        refused(() -> orders.object(List.of(new Reflected())), Reflected.class.getName());
    }

    @Test
    void fault175_clientProxyIsCheckedLikeItsBean() {
        refused(() -> orders.object(bean), Bean.class.getName());
        assertThat(orders.object(told)).isEqualTo("told");
    }

    private static void refused(ThrowingCallable call, Object value, String reason) {
        assertThatThrownBy(call).as("%s", value.getClass()).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("The lock name of " + Orders.class.getName()).hasMessageContaining(reason);
    }

    private static void refused(ThrowingCallable call, String type) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("The lock name of " + Orders.class.getName())
                .hasMessageContaining("{it}").hasMessageContaining(type).hasMessageContaining("toString()");
    }

    @Test
    void valuesWithStableTextAreAccepted() {
        assertThat(orders.object("java.lang.String@1")).isEqualTo("java.lang.String@1");
        assertThat(orders.object(List.of(1))).isEqualTo("[1]");
        assertThat(orders.object(new Told())).isEqualTo("told");
        assertThat(orders.object(new Looks())).isEqualTo(Looks.class.getName() + "@7");
        assertThat(orders.object(Optional.of("java.lang.String@1"))).isEqualTo("Optional[java.lang.String@1]");
        assertThat(orders.object(new TreeSet<>(Set.of(2, 1)))).isEqualTo("[1, 2]");
        assertThat(orders.object(new LinkedHashSet<>(List.of(2, 1)))).isEqualTo("[2, 1]");
        assertThat(orders.object(new LinkedHashMap<>(Map.of(1, 2)).keySet())).isEqualTo("[1]");
        assertThat(orders.object(new LinkedHashMap<>(Map.of(1, 2)).entrySet())).isEqualTo("[1=2]");
        assertThat(orders.object(EnumSet.of(TimeUnit.DAYS))).isEqualTo("[DAYS]");
        assertThat(orders.object(Collections.singleton(1))).isEqualTo("[1]");
        assertThat(orders.object(Set.of(1))).isEqualTo("[1]");
        assertThat(orders.object(Collections.unmodifiableSortedSet(new TreeSet<>(Set.of(2, 1))))).isEqualTo("[1, 2]");
        assertThat(orders.object(new Names())).isEqualTo("names");
        assertThat(orders.object(new Items())).isEqualTo("items");
        assertThat(orders.object(new AtomicReference<>("text"))).isEqualTo("text");
        assertThat(orders.object(Path.of("a"))).isEqualTo("a");
        assertThat(orders.object(URI.create("mailto:a@1f"))).isEqualTo("mailto:a@1f");
    }

    sealed interface Product permits Book {
    }

    static final class Book implements Product {
    }

    static class Numbered {

        private final int number;

        Numbered(int number) {
            this.number = number;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Numbered numbered && numbered.number == number;
        }

        @Override
        public int hashCode() {
            return number;
        }
    }

    /** Writes its text as many libraries do. */
    static class Reflected {

        @Override
        public int hashCode() {
            return 7;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Reflected;
        }

        @Override
        public String toString() {
            return Reflected.class.getName() + '@' + Integer.toHexString(System.identityHashCode(this)) + "[id=1]";
        }
    }

    static class Told {

        @Override
        public String toString() {
            return "told";
        }
    }

    /** Iterates in its own order. */
    static class Names extends HashSet<String> {

        @Override
        public String toString() {
            return "names";
        }
    }

    static class Items extends AbstractCollection<Object> {

        final List<Object> contents = new ArrayList<>(List.of(new Book()));

        @Override
        public Iterator<Object> iterator() {
            return contents.iterator();
        }

        @Override
        public int size() {
            return contents.size();
        }

        @Override
        public String toString() {
            return "items";
        }
    }

    /** Its text consists of its elements' texts, as in the JDK. */
    static class Basket extends ArrayList<Object> {

        Basket(Object... elements) {
            super(Arrays.asList(elements));
        }
    }

    @ApplicationScoped
    public static class Bean {
    }

    @ApplicationScoped
    public static class ToldBean {

        @Override
        public String toString() {
            return "told";
        }
    }

    static class Looks {

        @Override
        public String toString() {
            return getClass().getName() + "@7";
        }
    }

    @ApplicationScoped
    public static class Orders {

        @Locked("{it}")
        String object(Object it) {
            return held();
        }

        @Locked("{it}")
        String maybe(Optional<Supplier<String>> it) {
            return held();
        }

        @Locked("{it}")
        String collection(Collection<String> it) {
            return held();
        }

        @Locked("{it}")
        String anything(Collection<?> it) {
            return held();
        }

        @Locked("{it}")
        String reflected(Reflected it) {
            return held();
        }

        @Locked("{it}")
        String supplier(Supplier<String> it) {
            return held();
        }

        @Locked("{it}")
        String sealed(Product it) {
            return held();
        }

        @Locked("{it}")
        Uni<String> uni(Object it) {
            return Uni.createFrom().item(held());
        }

        private static String held() {
            return Arc.container().instance(LockManager.class).get().held().stream().map(HeldLock::name).findFirst()
                    .orElse("nothing");
        }
    }
}
