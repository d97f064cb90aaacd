package io.quarkiverse.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.lock.redis.script.Script;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;

/**
 * The scripts against {@link NameModel}: any request of any claim at any time, including those that are late, repeated or have
 * lost their reply, under a clock that steps, jumps and goes back. The test compares replies, messages and leftovers; and
 * the parts of a hash must be consistent, even if its derived data was lost.
 *
 * <p>
 * {@code -Dlock.test.random.seed=…} with the seed that a failed run has logged repeats that run.
 */
class ScriptModelTest {

    private static final int STEPS = Boolean.getBoolean("lock.test.full") ? 20_000 : 4_000;
    private static final long SEED = Long.getLong("lock.test.random.seed", ThreadLocalRandom.current().nextLong());
    private static final List<String> KEYS = List.of("{m}1", "{m}2", "{m}3");
    private static final String RETENTION = "60000";
    /** Replaces the server's clock and the expiry of keys, which the test controls. */
    private static final String PREFIX = "local function keyEnds(_, k, t) if redis.call('EXISTS', k) == 1 then "
            + "redis.call('HSET', 'ends', k, t) end end\n";
    /** Sets the clock, returns when each key ends and whether it exists, and deletes ended keys, in one round trip. */
    private static final String CLOCK = """
            redis.call('HSET', 'clock', 's', ARGV[1], 'us', ARGV[2])
            local ends = {}
            for i, key in ipairs(KEYS) do
              local there = redis.call('EXISTS', key) == 1
              local till = redis.call('HGET', 'ends', key)
              ends[i] = (till or 'never') .. (there and '' or ' gone')
              if not there or till and tonumber(till) <= tonumber(ARGV[3]) then
                redis.call('DEL', key)
                redis.call('HDEL', 'ends', key)
              end
            end
            return ends
            """;

    private final Map<Script, String> shas = new EnumMap<>(Script.class);
    private final List<NameModel> names = new ArrayList<>();
    private final List<NameModel.Asker> askers = new ArrayList<>();
    private final Deque<String> history = new ArrayDeque<>();
    private RedisServer server;
    private TinyRedis redis;
    private TinyRedis subscriber;
    private String clock;
    private Random random;
    private long micros = 2_000_000_000_000_000L;

    @BeforeEach
    void start() {
        server = RedisServer.start();
        redis = server.connect();
        subscriber = server.connect();
        subscriber.command("SUBSCRIBE", NameModel.HEARD);
        for (Script script : Script.values()) {
            String text = PREFIX + script.text().replace("redis.call('TIME')", "redis.call('HMGET', 'clock', 's', 'us')")
                    .replace("redis.call('PEXPIREAT',", "keyEnds(0,");
            shas.put(script, redis.text("SCRIPT", "LOAD", text));
        }
        clock = redis.text("SCRIPT", "LOAD", CLOCK);
        KEYS.forEach(key -> names.add(new NameModel()));
    }

    @AfterEach
    void stop() {
        redis.close();
        subscriber.close();
        server.close();
    }

    /** The modes and the number of the claims, and the percentage of releases. */
    @ParameterizedTest
    @CsvSource({ "XXXXXXXXXS,8,30", "XXXXXXXSSL,300,20", "SSSSSSSSSX,300,25", "LLLLLLLLLS,200,25", "XSL,40,30" })
    void scriptsBehaveLikeTheModel(String modes, int claims, int releases) {
        random = new Random(SEED + modes.hashCode());
        System.out.println("-Dlock.test.random.seed=" + SEED);
        for (int i = 0; i < claims; i++) {
            String mode = "" + modes.charAt(random.nextInt(modes.length()));
            int limit = mode.equals("L") ? List.of(2, 3, 150).get(modes.startsWith("L") ? 2 - (i % 40 == 0 ? 1 : 0)
                    : random.nextInt(2)) : 0;
            String channel = random.nextInt(8) == 0 ? List.of("", "nobody").get(random.nextInt(2)) : NameModel.HEARD;
            long lease = List.of(500L, 2_000L, 30_000L, 30_000L, 90_000L).get(random.nextInt(5));
            askers.add(new NameModel.Asker("claim" + i, mode, limit, channel, lease));
        }
        for (int step = 0; step < STEPS; step++) {
            try {
                tick();
                step(releases);
                if (step % 20 == 0) {
                    for (int i = 0; i < KEYS.size(); i++) {
                        StoredName.check(redis, KEYS.get(i), names.get(i), micros / 1000);
                    }
                }
            } catch (UncheckedIOException e) {
                throw e; // unwrapped: without an answer, no reply can be wrong
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("Step " + step + " with -Dlock.test.random.seed=" + SEED + " after\n"
                        + String.join("\n", history) + "\n" + KEYS.stream().map(key -> redis.list("HGETALL", key)).toList(), e);
            }
        }
        empty();
    }

    /** The model itself would not notice a clock that stands still. */
    @Test
    void advancingClockEndsLease() {
        random = new Random(1);
        askers.add(new NameModel.Asker("a", "X", 0, "", 500));
        askers.add(new NameModel.Asker("b", "X", 0, "", 500));
        setClock();
        assertThat(acquire(0, askers.get(0), false).get(0)).isEqualTo("GRANTED");
        assertThat(acquire(0, askers.get(1), false).get(0)).isEqualTo("BUSY");
        micros += 500_000;
        setClock();
        assertThat(acquire(0, askers.get(1), false).get(0)).isEqualTo("GRANTED");
    }

    private void tick() {
        int kind = random.nextInt(1000);
        if (kind < 700) {
            micros += random.nextInt(20_000);
        } else if (kind < 950) {
            micros += random.nextInt(400_000);
        } else if (kind < 992) {
            micros += random.nextInt(4_000_000);
        } else if (kind < 996) {
            micros += random.nextInt(120_000_000);
        } else {
            micros -= random.nextInt(5_000_000);
            for (int i = 0; i < KEYS.size(); i++) {
                List<String> fields = redis.list("HKEYS", KEYS.get(i));
                names.get(i).tombs.keySet().removeIf(claim -> !fields.contains("x:" + claim)); // dropped by the script
            }
        }
        List<String> ends = setClock(micros / 1000);
        for (int i = 0; i < KEYS.size(); i++) {
            String end = ends.get(i);
            if (!end.endsWith(" gone")) {
                assertThat(end).as("end of the key").isNotEqualTo("never");
                long latest = names.get(i).latest();
                assertThat(Long.parseLong(end)).as("the key outlives its contents")
                        .isGreaterThanOrEqualTo(latest == 0 ? 0 : latest + Long.parseLong(RETENTION));
                if (Long.parseLong(end) <= micros / 1000) {
                    names.set(i, new NameModel());
                    names.get(i).at(micros);
                }
            }
        }
        while (history.size() > 40) {
            history.removeFirst();
        }
    }

    private void setClock() {
        setClock(0);
    }

    /**
     * The end of each key in milliseconds, or {@code never}, followed by {@code gone} if it does not exist.
     *
     * @param deleteUntil keys that end by then are deleted
     */
    private List<String> setClock(long deleteUntil) {
        var words = new ArrayList<>(List.of("EVALSHA", clock, "" + KEYS.size()));
        words.addAll(KEYS);
        words.addAll(List.of("" + micros / 1_000_000, "" + micros % 1_000_000, "" + deleteUntil));
        names.forEach(each -> each.at(micros));
        return redis.list(words.toArray(String[]::new));
    }

    private void step(int releases) {
        int i = random.nextInt(5) == 0 ? random.nextInt(KEYS.size()) : 0;
        NameModel name = names.get(i);
        NameModel.Asker asker = askers.get(random.nextInt(askers.size()));
        if (random.nextInt(3) == 0 && !name.holders.isEmpty()) {
            List<String> claims = new ArrayList<>(name.holders.keySet());
            asker = name.holders.get(claims.get(random.nextInt(claims.size()))).asker;
        }
        int kind = random.nextInt(100);
        if (kind < releases) {
            String refuse = random.nextInt(10) == 0 ? "" + (500 + random.nextInt(60_000)) : "0";
            same(name.release(asker.claim(), Long.parseLong(refuse)), run(Script.RELEASE, i, asker.claim(), refuse));
        } else if (kind < 88) {
            acquire(i, asker, random.nextInt(6) != 0);
        } else if (kind < 94) {
            renew(i, asker);
        } else if (kind < 96) {
            String keep = "" + (1 + random.nextInt(40_000));
            String refuse = random.nextBoolean() ? "0" : "60000";
            same(name.keep(asker.claim(), Long.parseLong(keep), Long.parseLong(refuse)),
                    run(Script.KEEP, i, asker.claim(), keep, refuse));
        } else if (kind < 98) {
            together(asker);
        } else {
            rarely(i, name, asker);
        }
        messages(i, kind >= releases && kind < 88);
    }

    private void rarely(int i, NameModel name, NameModel.Asker asker) {
        switch (random.nextInt(8)) {
            case 0 -> force(i, name);
            case 1 -> same(name.ask(), run(Script.ASK, i));
            case 2 -> { // the derived data is lost
                if (random.nextBoolean()) {
                    redis.command("HDEL", KEYS.get(i), "v");
                } else if (redis.number("HEXISTS", KEYS.get(i), "v") == 1) {
                    redis.command("HSET", KEYS.get(i), "v", "2|");
                }
                same(name.release("nobody", 0), run(Script.RELEASE, i, "nobody", "0"));
            }
            case 3 -> same(name.release(asker.claim(), 1), run(Script.RELEASE, i, asker.claim(), "1"));
            case 4 -> inspect(i, name);
            default -> same(name.downgrade(asker.claim()), run(Script.DOWNGRADE, i, asker.claim()));
        }
    }

    /** Half of the requests arrive late, when others may already hold the name. */
    private void force(int i, NameModel name) {
        same(name.newest(), run(Script.NEWEST, i));
        List<NameModel.Holder> live = name.live();
        long newest = live.isEmpty() || random.nextBoolean() ? name.fence : live.get(random.nextInt(live.size())).fence;
        boolean grace = random.nextBoolean();
        same(name.force(newest, grace), run(Script.FORCE, i, "" + newest, grace ? "1" : "0"));
    }

    private List<Object> acquire(int i, NameModel.Asker asker, boolean waits) {
        NameModel name = names.get(i);
        List<Object> reply = run(Script.ACQUIRE, i, asker.claim(), asker.mode(), "" + asker.limit(), asker.channel(),
                "" + asker.lease(), waits ? "1" : "0", "owner of " + asker.claim());
        same(name.acquire(asker, waits), reply);
        if (reply.size() > 3) {
            long now = micros / 1000;
            long first = name.live().stream().mapToLong(each -> each.expiry - now).min().orElse(0);
            long told = (Long) reply.get(3);
            assertThat(told).as("next expiry").isLessThanOrEqualTo(first);
            if (name.live().size() == 1 || first <= 1_000) {
                assertThat(told).as("next expiry").isEqualTo(first);
            }
            assertThat(name.live()).extracting(each -> "owner of " + each.asker.claim()).contains((String) reply.get(4));
        }
        return reply;
    }

    private void renew(int i, NameModel.Asker asker) {
        String lease = (random.nextInt(4) == 0 ? "-" : "")
                + (random.nextInt(3) == 0 ? 1 + random.nextInt(5_000) : asker.lease());
        int lost = random.nextInt(4) == 0 ? random.nextInt(3) : 0;
        String channel = random.nextInt(4) == 0 ? NameModel.HEARD : "";
        int other = (i + 1) % KEYS.size();
        List<Object> reply = eval(Script.RENEW, List.of(KEYS.get(i), KEYS.get(other)),
                List.of(RETENTION, channel, asker.claim(), lease + (lost > 0 ? "#" + lost : ""), asker.claim(), "30000"));
        assertThat(reply.get(0)).isEqualTo(names.get(i).renew(asker.claim(), Long.parseLong(lease), lost, channel));
        assertThat(reply.get(2)).isEqualTo(names.get(other).renew(asker.claim(), 30_000, 0, channel));
    }

    private void together(NameModel.Asker asker) {
        boolean all = names.stream().allMatch(each -> each.mayJoin(asker));
        List<Object> expected = new ArrayList<>(List.of(all ? "GRANTED" : "BUSY"));
        if (all) {
            names.forEach(each -> expected.add("" + each.join(asker)));
        }
        var args = new ArrayList<>(List.of(RETENTION, "0", asker.mode(), "" + asker.limit(), asker.channel(),
                "" + asker.lease(), "owner of " + asker.claim()));
        KEYS.forEach(key -> args.add(asker.claim()));
        same(expected, eval(Script.TOGETHER, KEYS, args));
    }

    private void inspect(int i, NameModel name) {
        List<Object> state = run(Script.INSPECT, i, "1000");
        List<Object> fences = new ArrayList<>();
        for (int at = 2; at < state.size() && !(state.get(at) instanceof List<?>); at += 6) {
            fences.add(state.get(at));
        }
        assertThat(fences).containsExactlyInAnyOrderElementsOf(name.live().stream().map(each -> "" + each.fence).toList());
        long dead = name.waiters.values().stream().limit(100).filter(
                each -> each.seen <= micros / 1000 || each.seen > micros / 1000 + NameModel.SEEN).count();
        assertThat(state.get(1)).isEqualTo(name.waiters.size() - dead);
    }

    private List<Object> run(Script script, int i, String... args) {
        var all = new ArrayList<>(List.of(RETENTION, "0"));
        all.addAll(List.of(args));
        return eval(script, List.of(KEYS.get(i)), all);
    }

    @SuppressWarnings("unchecked")
    private List<Object> eval(Script script, List<String> keys, List<String> args) {
        var words = new ArrayList<>(List.of("EVALSHA", shas.get(script), "" + keys.size()));
        words.addAll(keys);
        words.addAll(args);
        history.add(micros + " " + script + " " + keys + " " + args);
        var reply = (List<Object>) redis.command(words.toArray(String[]::new));
        history.add("  " + reply);
        return reply;
    }

    private static void same(List<Object> expected, List<Object> reply) {
        assertThat(reply.subList(0, Math.min(expected.size(), reply.size()))).isEqualTo(expected);
    }

    /** All messages except hints must match the model. Hints go to the holders. */
    private void messages(int i, boolean asked) {
        redis.command("PUBLISH", NameModel.HEARD, "end");
        List<String> told = new ArrayList<>();
        List<String> hinted = new ArrayList<>();
        for (String message = message(); !message.equals("end"); message = message()) {
            if (message.startsWith("R|")) {
                hinted.add(message.split("\\|")[1]);
            } else if (!message.startsWith("P|")) {
                told.add(message);
            }
        }
        List<String> expected = new ArrayList<>(names.get(i).messages);
        if (expected.stream().noneMatch(each -> each.startsWith("G"))) {
            Collections.sort(told);
            Collections.sort(expected);
        } else { // forced losses come in any order, followed by grants in their own order
            long taken = expected.stream().filter(each -> !each.startsWith("G")).count();
            Collections.sort(told.subList(0, (int) Math.min(taken, told.size())));
            Collections.sort(expected.subList(0, (int) taken));
        }
        assertThat(told).isEqualTo(expected);
        if (!hinted.isEmpty()) {
            assertThat(asked).as("hints").isTrue();
            assertThat(names.get(i).live().stream().filter(each -> !each.kept && each.channel.equals(NameModel.HEARD)
                    && !each.mode.equals("L")).map(each -> each.asker.claim())).containsExactlyInAnyOrderElementsOf(hinted);
        }
        names.forEach(each -> each.messages.clear());
    }

    private String message() {
        return (String) ((List<?>) subscriber.read()).get(2);
    }

    /** When all claims and tombstones have ended, only the fence is left. */
    private void empty() {
        for (int i = 0; i < KEYS.size(); i++) {
            for (NameModel.Asker each : askers) {
                run(Script.RELEASE, i, each.claim(), "0");
            }
            micros += 200_000_000L;
            setClock();
            for (int drop = 0; drop < 200; drop++) {
                run(Script.RELEASE, i, "nobody", "1");
                micros += 2_000;
                setClock();
            }
            run(Script.RELEASE, i, "nobody", "0");
            assertThat(redis.list("HKEYS", KEYS.get(i))).isSubsetOf("f");
        }
    }
}
