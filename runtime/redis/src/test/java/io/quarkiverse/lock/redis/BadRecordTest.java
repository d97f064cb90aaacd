package io.quarkiverse.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.testkit.LogLines;

/** Something else has written data where a record should be. */
class BadRecordTest extends RedisTest {

    private static final String FAR = "9999999999999";

    @Test
    void unreadableWaiterIsCountedButNotDescribed() {
        store.redis.command("HSET", "lock:1:{test:name}", "w:0123456789abcdef0123456789abcdef",
                "1|X|0||" + FAR + "|soon|somebody");
        LockInfo info = Jvm.get(jvm().backend.inspect("name")).orElseThrow();
        assertThat(info.waiters()).isEqualTo(1);
        assertThat(info.waiting()).isEmpty();
    }

    @Test
    void unreadableHolderIsReportedAsFailure() {
        holder("name", FAR + FAR);
        assertThat(failure(() -> Jvm.get(jvm().backend.inspect("name")))).isInstanceOf(LockBackendException.class)
                .hasMessageContaining("'name'").hasMessageContaining("cannot be read");
    }

    @Test
    void listSkipsUnreadableRecordsAndLogsOnce() {
        Jvm jvm = jvm();
        Grant good = jvm.grant("good");
        store.redis.command("SET", "lock:1:{test:text}", "something");
        store.redis.command("HSET", "lock:1:{test:newer}", "v", "3");
        store.redis.command("HSET", "lock:1:{test:scribble}", "h:0123456789abcdef0123456789abcdef", "something");
        holder("large", FAR + FAR);
        try (var log = LogLines.warnings(RedisLockBackend.class.getPackageName())) {
            for (int i = 0; i < 2; i++) {
                LockQuery.Page page = Jvm.get(jvm.backend.list(LockQuery.ALL.withPageSize(LockQuery.MAX_PAGE_SIZE)));
                assertThat(page.locks()).extracting(LockInfo::name).containsExactly("good");
                assertThat(page.next()).isEmpty();
            }
            assertThat(log.messages()).singleElement().asString().contains("left out");
        }
        jvm.release(good);
    }

    private void holder(String name, String fence) {
        store.redis.command("HSET", "lock:1:{test:" + name + "}", "h:0123456789abcdef0123456789abcdef",
                FAR + "|X|0||" + fence + "|0|somebody");
    }
}
