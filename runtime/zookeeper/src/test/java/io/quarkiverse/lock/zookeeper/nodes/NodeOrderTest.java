package io.quarkiverse.lock.zookeeper.nodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.zookeeper.nodes.NodeOrder.ForeignNodeException;
import io.quarkiverse.lock.zookeeper.nodes.NodeOrder.Place;

class NodeOrderTest {

    private static final String ID = "_c_00000000-0000-0000-0000-000000000000-";

    private final NodeOrder line = new NodeOrder(LockNodes.READ_WRITE);

    private Place place(List<String> children, String own) {
        return line.place(children, Map.of(), own);
    }

    private List<String> holders(List<String> children) {
        return line.holders(children, Map.of());
    }

    private static String writer(int number) {
        return ID + "__WRIT__" + String.format("%010d", number);
    }

    private static String reader(int number) {
        return ID + "__READ__" + String.format("%010d", number);
    }

    @Test
    void firstNodeHoldsTheLock() {
        assertThat(place(List.of(writer(7)), writer(7)).holds()).isTrue();
        Place place = place(List.of(writer(9), writer(7), reader(8)), writer(7));
        assertThat(place.holds()).isTrue();
        assertThat(place.behind()).isEqualTo(2);
    }

    @Test
    void writerWaitsForTheNearestNodeOfAnyKind() {
        Place place = place(List.of(writer(9), reader(7), writer(3), writer(12)), writer(9));
        assertThat(place.before()).isEqualTo(reader(7));
        assertThat(place.first()).isEqualTo(writer(3));
        assertThat(place.behind()).isEqualTo(1);
        assertThat(place.holds()).isFalse();
    }

    @Test
    void readerWaitsOnlyForTheNearestWriter() {
        assertThat(place(List.of(reader(3), reader(5)), reader(5)).holds()).isTrue();
        assertThat(place(List.of(reader(3), writer(4), reader(5), reader(6)), reader(6)).before()).isEqualTo(writer(4));
        assertThat(place(List.of(reader(3), writer(4), reader(5)), reader(3)).holds()).isTrue();
        assertThat(place(List.of(reader(3), writer(4), reader(5)), reader(3)).behind()).as("a writer").isEqualTo(1);
        assertThat(place(List.of(reader(3), reader(5)), reader(3)).behind()).as("they share it").isZero();
    }

    @Test
    void missingNodeHoldsNothing() {
        assertThat(place(List.of(), writer(1)).holds()).isFalse();
        assertThat(place(List.of(writer(2)), writer(1)).holds()).isFalse();
        assertThat(place(List.of(writer(2)), writer(1)).here()).isFalse();
    }

    @Test
    @Fault(104)
    void fault104_wrappedNumbersAreOrderedByCreation() {
        assertThat(place(List.of(writer(Integer.MAX_VALUE - 1), writer(Integer.MAX_VALUE)), writer(Integer.MAX_VALUE)).before())
                .isEqualTo(writer(Integer.MAX_VALUE - 1));
        assertThat(writer(-5)).endsWith("-000000005");
        assertThat(place(List.of(writer(-1), writer(0)), writer(0)).before()).as("servers before 3.6").isEqualTo(writer(-1));
        String early = writer(Integer.MAX_VALUE - 1);
        String first = writer(Integer.MAX_VALUE);
        String wentRound = writer(Integer.MIN_VALUE);
        String again = "_c_ffffffff-ffff-ffff-ffff-ffffffffffff-__WRIT__" + Integer.MAX_VALUE;
        List<String> all = List.of(again, wentRound, first, early);
        assertThat(line.unnumbered(all)).containsExactlyInAnyOrder(first, wentRound, again);
        Map<String, Long> czxids = Map.of(first, 10L, wentRound, 11L, again, 12L);
        assertThat(line.place(all, czxids, again).before()).isEqualTo(wentRound);
        assertThat(line.place(all, czxids, wentRound).before()).isEqualTo(first);
        assertThat(line.place(all, czxids, first).before()).isEqualTo(early);
        assertThat(line.place(all, czxids, first).first()).isEqualTo(early);
        assertThat(line.holders(List.of(again, wentRound, first), czxids)).containsExactly(first);
        assertThat(place(List.of(first), again).here()).as("gone meanwhile").isFalse();
    }

    @Test
    void orderedNumbersCostNoRequest() {
        assertThat(line.unnumbered(List.of(writer(1), reader(2)))).isEmpty();
        assertThat(line.unnumbered(List.of(writer(Integer.MAX_VALUE)))).as("one alone").isEmpty();
        assertThat(line.unnumbered(List.of(writer(7), writer(Integer.MAX_VALUE)))).isEmpty();
        assertThat(line.unnumbered(List.of("leases", writer(Integer.MAX_VALUE)))).isEmpty();
    }

    @Test
    void downgradingWriterStaysAheadOfOthers() {
        List<String> downgrading = List.of(reader(3), writer(3), writer(5));
        assertThat(place(downgrading, writer(5)).before()).isIn(reader(3), writer(3));
        assertThat(place(List.of(reader(3), writer(5)), writer(5)).before()).isEqualTo(reader(3));
    }

    @Test
    @Fault(371)
    void fault371_downgradingWriterHoldsTheLockWithBothNodes() {
        for (List<String> listed : List.of(List.of(reader(12), writer(12), reader(15)),
                List.of(reader(15), writer(12), reader(12)))) {
            assertThat(line.sorted(listed, Map.of())).containsExactly(writer(12), reader(12), reader(15));
            assertThat(holders(listed)).containsExactly(writer(12), reader(12));
            assertThat(line.readersBehindWriter(listed, Map.of())).containsExactly(reader(15));
            assertThat(place(listed, reader(15)).first()).isEqualTo(writer(12));
        }
        assertThat(holders(List.of(reader(12), writer(12)))).as("nobody else").containsExactly(writer(12), reader(12));
        assertThat(holders(List.of(reader(13), writer(12)))).as("a reader that waits").containsExactly(writer(12));
    }

    @Test
    void tokensDoNotAffectTheOrder() {
        String other = "_c_ffffffff-ffff-ffff-ffff-ffffffffffff-__WRIT__0000000001";
        assertThat(place(List.of(other, writer(2)), writer(2)).before()).isEqualTo(other);
        String unprotected = "__WRIT__0000000001";
        assertThat(place(List.of(unprotected, writer(2)), writer(2)).before()).isEqualTo(unprotected);
    }

    @Test
    void foreignNodesAreRejected() {
        for (String foreign : List.of(ID + "lock-0000000001", "leases", "__WRIT__", "__WRIT__12", "__WRIT__000000000x",
                "__WRIT__00000000001")) {
            assertThatThrownBy(() -> place(List.of(foreign, writer(2)), writer(2))).as(foreign)
                    .isInstanceOf(ForeignNodeException.class).hasMessage(foreign);
        }
        assertThatThrownBy(() -> new NodeOrder(LockNodes.MUTEX).place(List.of(writer(1), ID + "lock-0000000002"), Map.of(),
                ID + "lock-0000000002")).isInstanceOf(ForeignNodeException.class);
    }

    private static String counted(int limit, int number) {
        return ID + "slot-" + limit + "-__WRIT__" + String.format("%010d", number);
    }

    @Test
    void limitBoundsTheNumberOfHolders() {
        List<String> three = List.of(counted(2, 7), counted(2, 5), counted(2, 6));
        assertThat(place(three, counted(2, 5)).holds()).isTrue();
        assertThat(place(three, counted(2, 6)).holds()).isTrue();
        Place last = place(three, counted(2, 7));
        assertThat(last.holds()).isFalse();
        assertThat(last.next()).isTrue();
        assertThat(last.first()).isEqualTo(counted(2, 5));
        assertThat(holders(three)).containsExactly(counted(2, 5), counted(2, 6));
        assertThat(place(List.of(counted(2, 5)), counted(2, 6)).here()).isFalse();
    }

    @Test
    void smallestLimitAtTheFrontApplies() {
        assertThat(place(List.of(counted(2, 1), counted(3, 2), counted(3, 3)), counted(3, 3)).next()).isTrue();
        assertThat(place(List.of(counted(3, 1), counted(3, 2), counted(2, 3)), counted(2, 3)).next()).isTrue();
        assertThat(place(List.of(counted(3, 1), counted(3, 2), counted(2, 3)), counted(3, 2)).holds())
                .as("what comes later does not count").isTrue();
        assertThat(holders(List.of(counted(3, 1), counted(3, 2), counted(2, 3), counted(9, 4))))
                .containsExactly(counted(3, 1), counted(3, 2));
    }

    @Test
    void waiterFollowsTheWaiterBeforeIt() {
        List<String> all = List.of(counted(2, 1), counted(2, 2), counted(2, 3), counted(2, 4), writer(5), counted(2, 6),
                counted(2, 7), reader(8));
        assertThat(place(all, counted(2, 3)).next()).isTrue();
        assertThat(place(all, counted(2, 3)).before()).isEqualTo(counted(2, 2));
        assertThat(place(all, counted(2, 4)).next()).isFalse();
        assertThat(place(all, counted(2, 4)).before()).isEqualTo(counted(2, 3));
        assertThat(place(all, counted(2, 6)).next()).as("nobody makes room before the writer has left").isFalse();
        assertThat(place(all, counted(2, 6)).before()).isEqualTo(writer(5));
        assertThat(place(all, counted(2, 7)).before()).isEqualTo(counted(2, 6));
        assertThat(place(List.of(counted(3, 1), counted(3, 2), counted(1, 3), counted(3, 4)), counted(1, 3)).next())
                .as("its own limit keeps it out").isTrue();
        assertThat(place(List.of(counted(3, 1), counted(3, 2), counted(1, 3), counted(3, 4)), counted(3, 4)).next()).isFalse();
    }

    @Test
    void onlyLimitedFollowersAreNotifiedOfEntries() {
        assertThat(place(List.of(counted(2, 1), counted(2, 2), counted(2, 3)), counted(2, 2)).followed()).isTrue();
        assertThat(place(List.of(counted(2, 1), writer(2), counted(2, 3)), counted(2, 1)).followed())
                .as("a writer waits until it leaves").isFalse();
        assertThat(place(List.of(counted(2, 1), reader(2)), counted(2, 1)).followed()).isFalse();
        assertThat(place(List.of(counted(2, 1), counted(2, 2)), counted(2, 2)).followed()).isFalse();
    }

    @Test
    void quietNodesAreNotWaitedFor() {
        String quiet = ID + "quiet-slot-2-__WRIT__0000000003";
        List<String> all = List.of(counted(2, 1), counted(2, 2), quiet, counted(2, 4), counted(2, 5));
        assertThat(line.limit(quiet)).isEqualTo(2);
        assertThat(place(all, counted(2, 4)).next()).isTrue();
        assertThat(place(all, counted(2, 5)).next()).isFalse();
    }

    @Test
    void limitedAndUnlimitedHoldersExcludeEachOther() {
        Place behind = place(List.of(writer(1), counted(5, 2), reader(3), counted(5, 4)), counted(5, 4));
        assertThat(behind.before()).isEqualTo(reader(3));
        assertThat(behind.next()).isFalse();
        assertThat(place(List.of(counted(5, 1), counted(5, 2), writer(3)), writer(3)).before()).isEqualTo(counted(5, 2));
        assertThat(place(List.of(counted(5, 1), reader(2), reader(3)), reader(3)).before()).isEqualTo(counted(5, 1));
        assertThat(holders(List.of(counted(5, 1), writer(2), counted(5, 3)))).containsExactly(counted(5, 1));
        assertThat(holders(List.of(reader(1), counted(5, 2)))).containsExactly(reader(1));
        assertThat(holders(List.of(writer(1), counted(5, 2)))).containsExactly(writer(1));
        assertThat(line.anyAlone(List.of(reader(1), counted(5, 2)), reader(1))).as("no more readers may join").isTrue();
    }

    @Test
    void limitIsPartOfTheNodeName() {
        NodeOrder mutex = new NodeOrder(LockNodes.MUTEX);
        String one = ID + "slot-2-lock-0000000001";
        String two = ID + "slot-2-lock-0000000002";
        String alone = ID + "lock-0000000003";
        assertThat(mutex.place(List.of(two, one, alone), Map.of(), two).holds()).isTrue();
        assertThat(mutex.place(List.of(two, one, alone), Map.of(), alone).before()).isEqualTo(two);
        String huge = ID + "slot-9999999999-__WRIT__0000000001";
        assertThat(place(List.of(huge, counted(2, 2)), counted(2, 2)).holds()).isTrue();
        for (String none : List.of(ID + "slot--__WRIT__0000000001", ID + "12-__WRIT__0000000001", "-__WRIT__0000000001",
                "slot-x-__WRIT__0000000001", "__WRIT__0000000001", ID + "slot-99999999999-__WRIT__0000000001")) {
            assertThat(place(List.of(none, counted(2, 2)), counted(2, 2)).before()).as("not counted").isEqualTo(none);
        }
    }

    @Test
    void holdersAreTheFirstNodeOrTheLeadingReaders() {
        assertThat(holders(List.of(writer(4), writer(2)))).containsExactly(writer(2));
        assertThat(holders(List.of(reader(4), writer(5), reader(2), reader(6)))).containsExactly(reader(2), reader(4));
        assertThat(holders(List.of("leases"))).isEmpty();
        assertThat(line.count(List.of("leases", writer(1)))).isEqualTo(1);
    }

    @Test
    @Fault(130)
    void fault130_readersJoinTheFirstWriterUpToTheNextWriter() {
        assertThat(line.readersBehindWriter(List.of(reader(5), writer(1), reader(3), writer(4), reader(2)), Map.of()))
                .containsExactly(reader(2), reader(3));
        assertThat(line.readersBehindWriter(List.of(writer(1), writer(2), reader(3)), Map.of())).isEmpty();
        assertThat(line.readersBehindWriter(List.of(reader(1), reader(2)), Map.of())).isEmpty();
        assertThat(line.readersBehindWriter(List.of(counted(5, 1), reader(2)), Map.of())).isEmpty();
        assertThat(line.readersBehindWriter(List.of(writer(1)), Map.of())).isEmpty();
        assertThat(line.readersBehindWriter(List.of(), Map.of())).isEmpty();
        assertThat(line.anyAlone(List.of(writer(1), reader(2)), writer(1))).isFalse();
        assertThat(line.anyAlone(List.of(writer(1), reader(2), writer(3)), writer(1))).isTrue();
    }
}
