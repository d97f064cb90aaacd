package io.quarkiverse.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.testkit.FullBuild;

/** Listing many names never blocks other commands for long. */
class ManyNamesListedTest extends RedisTest {

    /** In Redis's own unit, microseconds. */
    private static final long LONGEST = 5_000;
    private static final int LISTS = 5;

    @Test
    void listingUsesOnlyShortCommands() {
        store.redis.command("CONFIG", "SET", "slowlog-log-slower-than", "0");
        store.redis.command("CONFIG", "SET", "slowlog-max-len", "100000");
        hold(3_000);
        store.redis.command("SLOWLOG", "RESET");
        assertThat(listed()).hasSize(3_000);
        int looks = 0;
        for (List<String> command : commands()) {
            switch (command.get(0).toUpperCase(java.util.Locale.ROOT)) {
                case "SCAN" -> assertThat(Integer.parseInt(command.get(5))).as("buckets").isBetween(1, 100);
                case "EVAL", "EVALSHA" -> {
                    assertThat(command.get(2)).as("names in one script").isIn("0", "1");
                    looks += Integer.parseInt(command.get(2));
                }
                case "SLOWLOG", "PUBLISH", "ROLE", "PING", "INFO", "SUBSCRIBE", "CLIENT", "HELLO", "TIME", "HGETALL", "MULTI",
                        "EXEC", "HGET", "HMGET" ->
                    {
                    }
                default -> assertThat(command).as("only short commands").isEmpty();
            }
        }
        assertThat(looks).isGreaterThanOrEqualTo(3_000);
    }

    /** A cursor means something only to the process that issued it. */
    @Test
    void listingSurvivesServerRestart() {
        hold(1_000);
        LockQuery.Page page = Jvm.get(jvm().backend.list(LockQuery.ALL.withPageSize(300)));
        Set<String> names = names(page);
        assertThat(page.next()).isPresent();
        server.kill();
        server.restart();
        reopenStore();
        hold(1_000);
        names.addAll(listed(page.next()));
        assertThat(names).hasSize(1_000);
    }

    /** On average: a busy machine may delay any command, but a command that read too much would always be slow. */
    @Test
    @FullBuild
    void hundredThousandLocksAreListedByShortCommands() {
        hold(100_000);
        store.redis.command("CONFIG", "RESETSTAT");
        assertThat(listed()).hasSize(100_000);
        for (String command : List.of("scan", "evalsha")) {
            assertThat(averageMicros(command)).as("server microseconds per %s", command).isLessThan(LONGEST);
        }
    }

    /** Needs an idle machine: a busy one delays the server now and then, and that counts as the command's time. */
    @Test
    @EnabledIfSystemProperty(named = "lock.test.idle", matches = "true", disabledReason = "-Dlock.test.idle=true runs it")
    void noCommandIsSlowWhenListingHundredThousandLocks(TestReporter reporter) {
        hold(100_000);
        store.redis.command("CONFIG", "SET", "slowlog-log-slower-than", "1000");
        store.redis.command("CONFIG", "SET", "slowlog-max-len", "100000");
        long best = Long.MAX_VALUE;
        for (int i = 0; i < LISTS && best >= LONGEST; i++) {
            store.redis.command("SLOWLOG", "RESET");
            assertThat(listed()).hasSize(100_000);
            long slowest = slowestMicros();
            reporter.publishEntry("slowest command of a list of 100,000", slowest == 0 ? "< 1000 us" : slowest + " us");
            best = Math.min(best, slowest);
        }
        assertThat(best).as("server microseconds of the slowest command").isLessThan(LONGEST);
    }

    /** 0 if none was logged. */
    @SuppressWarnings("unchecked")
    private long slowestMicros() {
        long slowest = 0;
        for (Object entry : (List<Object>) store.redis.command("SLOWLOG", "GET", "-1")) {
            slowest = Math.max(slowest, ((Number) ((List<Object>) entry).get(2)).longValue());
        }
        return slowest;
    }

    private double averageMicros(String command) {
        return store.redis.text("INFO", "commandstats").lines().filter(line -> line.startsWith("cmdstat_" + command + ":"))
                .mapToDouble(line -> Double.parseDouble(line.replaceAll(".*usec_per_call=([0-9.]+).*", "$1"))).findFirst()
                .orElseThrow();
    }

    /** As {@code acquire.lua} writes them, a thousand at a time. */
    private void hold(int count) {
        for (int from = 0; from < count; from += 1000) {
            store.redis.command("EVAL", """
                    local expiry = (redis.call('TIME')[1] + 3600) .. '000'
                    for i = ARGV[1], ARGV[1] + 999 do
                      redis.call('HSET', 'lock:1:{test:many-' .. string.format('%d', i) .. '}', 'f', '7',
                        'h:0123456789abcdef0123456789abcdef', expiry .. '|X|0||7|0|somebody')
                    end
                    """, "0", "" + from);
        }
    }

    private Set<String> listed() {
        return listed(Optional.of(LockQuery.ALL.withPrefix("many-").withPageSize(LockQuery.MAX_PAGE_SIZE)));
    }

    private Set<String> listed(Optional<LockQuery> from) {
        Set<String> names = new HashSet<>();
        Jvm jvm = jvm();
        Optional<LockQuery> query = from;
        while (query.isPresent()) {
            LockQuery.Page page = Jvm.get(jvm.backend.list(query.get()));
            names.addAll(names(page));
            query = page.next();
        }
        return names;
    }

    private static Set<String> names(LockQuery.Page page) {
        return page.locks().stream().map(LockInfo::name).collect(Collectors.toCollection(HashSet::new));
    }

    /** The name and arguments of each command in the slow log. */
    @SuppressWarnings("unchecked")
    private List<List<String>> commands() {
        List<List<String>> commands = new ArrayList<>();
        for (Object entry : (List<Object>) store.redis.command("SLOWLOG", "GET", "-1")) {
            commands.add(((List<Object>) ((List<Object>) entry).get(3)).stream().map(String::valueOf).toList());
        }
        return commands;
    }
}
