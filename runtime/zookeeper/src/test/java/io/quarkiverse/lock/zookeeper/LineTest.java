package io.quarkiverse.lock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.zookeeper.Line.ForeignNodeException;
import io.quarkiverse.lock.zookeeper.Line.Place;

class LineTest {

    private static final String ID = "_c_00000000-0000-0000-0000-000000000000-";

    private final Line line = new Line(LockNodes.READ_WRITE);

    private static String writer(int number) {
        return ID + "__WRIT__" + String.format("%010d", number);
    }

    private static String reader(int number) {
        return ID + "__READ__" + String.format("%010d", number);
    }

    @Test
    void theFirstHolds() {
        assertThat(line.place(List.of(writer(7)), writer(7)).holds()).isTrue();
        Place place = line.place(List.of(writer(9), writer(7), reader(8)), writer(7));
        assertThat(place.holds()).isTrue();
        assertThat(place.behind()).isEqualTo(2);
    }

    @Test
    void aWriterWaitsForTheNearestOfAnyKind() {
        Place place = line.place(List.of(writer(9), reader(7), writer(3), writer(12)), writer(9));
        assertThat(place.before()).isEqualTo(reader(7));
        assertThat(place.first()).isEqualTo(writer(3));
        assertThat(place.behind()).isEqualTo(1);
        assertThat(place.holds()).isFalse();
    }

    @Test
    void aReaderWaitsForTheNearestWriterOnly() {
        assertThat(line.place(List.of(reader(3), reader(5)), reader(5)).holds()).isTrue();
        assertThat(line.place(List.of(reader(3), writer(4), reader(5), reader(6)), reader(6)).before()).isEqualTo(writer(4));
        assertThat(line.place(List.of(reader(3), writer(4), reader(5)), reader(3)).holds()).isTrue();
        assertThat(line.place(List.of(reader(3), writer(4), reader(5)), reader(3)).behind()).as("a writer").isEqualTo(1);
        assertThat(line.place(List.of(reader(3), reader(5)), reader(3)).behind()).as("they share it").isZero();
    }

    @Test
    void whoIsNotThereHoldsNothing() {
        assertThat(line.place(List.of(), writer(1)).holds()).isFalse();
        assertThat(line.place(List.of(writer(2)), writer(1)).holds()).isFalse();
        assertThat(line.place(List.of(writer(2)), writer(1)).here()).isFalse();
    }

    @Test
    void numbersGoRound() {
        Place place = line.place(List.of(writer(Integer.MIN_VALUE), writer(Integer.MAX_VALUE)), writer(Integer.MIN_VALUE));
        assertThat(place.before()).isEqualTo(writer(Integer.MAX_VALUE));
        assertThat(line.holders(List.of(writer(Integer.MIN_VALUE), writer(Integer.MAX_VALUE))))
                .containsExactly(writer(Integer.MAX_VALUE));
        assertThat(writer(-5)).endsWith("-000000005");
        assertThat(line.place(List.of(writer(-5), writer(-4)), writer(-4)).before()).isEqualTo(writer(-5));
    }

    @Test
    void aWriterThatReadsAsWellIsOneBeforeTheOthers() {
        List<String> downgrading = List.of(reader(3), writer(3), writer(5));
        assertThat(line.place(downgrading, writer(5)).before()).isIn(reader(3), writer(3));
        assertThat(line.place(List.of(reader(3), writer(5)), writer(5)).before()).isEqualTo(reader(3));
    }

    @Test
    void theOthersIdsDoNotMatter() {
        String other = "_c_ffffffff-ffff-ffff-ffff-ffffffffffff-__WRIT__0000000001";
        assertThat(line.place(List.of(other, writer(2)), writer(2)).before()).isEqualTo(other);
        String unprotected = "__WRIT__0000000001";
        assertThat(line.place(List.of(unprotected, writer(2)), writer(2)).before()).isEqualTo(unprotected);
    }

    @Test
    void whatIsOfAnotherKindIsRefused() {
        for (String foreign : List.of(ID + "lock-0000000001", "leases", "__WRIT__", "__WRIT__12", "__WRIT__000000000x",
                "__WRIT__00000000001")) {
            assertThatThrownBy(() -> line.place(List.of(foreign, writer(2)), writer(2))).as(foreign)
                    .isInstanceOf(ForeignNodeException.class).hasMessage(foreign);
        }
        assertThatThrownBy(() -> new Line(LockNodes.MUTEX).place(List.of(writer(1), ID + "lock-0000000002"),
                ID + "lock-0000000002")).isInstanceOf(ForeignNodeException.class);
    }

    private static String counted(int limit, int number) {
        return ID + "slot-" + limit + "-__WRIT__" + String.format("%010d", number);
    }

    @Test
    void asManyHoldItAsTheirLimitAllows() {
        List<String> three = List.of(counted(2, 7), counted(2, 5), counted(2, 6));
        assertThat(line.place(three, counted(2, 5)).holds()).isTrue();
        assertThat(line.place(three, counted(2, 6)).holds()).isTrue();
        Place last = line.place(three, counted(2, 7));
        assertThat(last.holds()).isFalse();
        assertThat(last.full()).isTrue();
        assertThat(last.first()).isEqualTo(counted(2, 5));
        assertThat(line.holders(three)).containsExactly(counted(2, 5), counted(2, 6));
        assertThat(line.place(List.of(counted(2, 5)), counted(2, 6)).here()).isFalse();
    }

    @Test
    void theSmallestLimitOfThoseInFrontCounts() {
        assertThat(line.place(List.of(counted(2, 1), counted(3, 2), counted(3, 3)), counted(3, 3)).full()).isTrue();
        assertThat(line.place(List.of(counted(3, 1), counted(3, 2), counted(2, 3)), counted(2, 3)).full()).isTrue();
        assertThat(line.place(List.of(counted(3, 1), counted(3, 2), counted(2, 3)), counted(3, 2)).holds())
                .as("what comes later does not count").isTrue();
        assertThat(line.holders(List.of(counted(3, 1), counted(3, 2), counted(2, 3), counted(9, 4))))
                .containsExactly(counted(3, 1), counted(3, 2));
    }

    @Test
    void whoIsCountedAndWhoIsNotKeepEachOtherOut() {
        Place behind = line.place(List.of(writer(1), counted(5, 2), reader(3), counted(5, 4)), counted(5, 4));
        assertThat(behind.before()).isEqualTo(reader(3));
        assertThat(behind.full()).isFalse();
        assertThat(line.place(List.of(counted(5, 1), counted(5, 2), writer(3)), writer(3)).before()).isEqualTo(counted(5, 2));
        assertThat(line.place(List.of(counted(5, 1), reader(2), reader(3)), reader(3)).before()).isEqualTo(counted(5, 1));
        assertThat(line.holders(List.of(counted(5, 1), writer(2), counted(5, 3)))).containsExactly(counted(5, 1));
        assertThat(line.holders(List.of(reader(1), counted(5, 2)))).containsExactly(reader(1));
        assertThat(line.holders(List.of(writer(1), counted(5, 2)))).containsExactly(writer(1));
        assertThat(line.anyAlone(List.of(reader(1), counted(5, 2)))).as("readers are not to join any more").isTrue();
    }

    @Test
    void theLimitIsInTheNameOfTheNode() {
        Line mutex = new Line(LockNodes.MUTEX);
        String one = ID + "slot-2-lock-0000000001";
        String two = ID + "slot-2-lock-0000000002";
        String alone = ID + "lock-0000000003";
        assertThat(mutex.place(List.of(two, one, alone), two).holds()).isTrue();
        assertThat(mutex.place(List.of(two, one, alone), alone).before()).isEqualTo(two);
        String huge = ID + "slot-9999999999-__WRIT__0000000001";
        assertThat(line.place(List.of(huge, counted(2, 2)), counted(2, 2)).holds()).isTrue();
        for (String none : List.of(ID + "slot--__WRIT__0000000001", ID + "12-__WRIT__0000000001", "-__WRIT__0000000001",
                "slot-x-__WRIT__0000000001", "__WRIT__0000000001", ID + "slot-99999999999-__WRIT__0000000001")) {
            assertThat(line.place(List.of(none, counted(2, 2)), counted(2, 2)).before()).as("not counted").isEqualTo(none);
        }
    }

    @Test
    void theHoldersAreTheFirstOrAllWhoShareInFront() {
        assertThat(line.holders(List.of(writer(4), writer(2)))).containsExactly(writer(2));
        assertThat(line.holders(List.of(reader(4), writer(5), reader(2), reader(6)))).containsExactly(reader(2), reader(4));
        assertThat(line.holders(List.of("leases"))).isEmpty();
        assertThat(line.count(List.of("leases", writer(1)))).isEqualTo(1);
    }
}
