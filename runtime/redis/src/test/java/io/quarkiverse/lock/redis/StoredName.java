package io.quarkiverse.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.quarkiverse.lock.testkit.server.TinyRedis;

/** Whether the parts of the hash of a name fit together. */
final class StoredName {

    private final Map<String, String> fields = new HashMap<>();

    private StoredName(List<String> all) {
        for (int i = 0; i < all.size(); i += 2) {
            fields.put(all.get(i), all.get(i + 1));
        }
    }

    static void check(TinyRedis redis, String key, NameModel model, long now) {
        new StoredName(redis.list("HGETALL", key)).check(model, now);
    }

    private void check(NameModel model, long now) {
        Set<String> holders = claims("h:");
        holders.addAll(claims("k:"));
        Set<String> waiters = claims("w:");
        assertThat(waiters).isEqualTo(model.waiters.keySet());
        assertThat(holders).containsAll(model.live().stream().map(each -> each.asker.claim()).toList());
        assertThat(holders).as("whose shorter leases were heard of").containsAll(claims("m:"));
        String v = fields.get("v");
        if (v == null) {
            assertThat(fields.keySet()).isSubsetOf("f", holders.stream().map(each -> "h:" + each).findAny().orElse("f"),
                    holders.stream().map(each -> "k:" + each).findAny().orElse("f"),
                    holders.stream().map(each -> "m:" + each).findAny().orElse("f"));
        } else {
            counted(v.split("\\|", -1), holders, waiters, now);
        }
    }

    private void counted(String[] v, Set<String> holders, Set<String> waiters, long now) {
        assertThat(Integer.parseInt(v[1])).as("waiters").isEqualTo(waiters.size());
        assertThat(Integer.parseInt(v[3])).as("holders").isEqualTo(holders.size());
        assertThat(line(v[5])).as("the line").isEqualTo(new ArrayList<>(waiters.stream().sorted((one, other) -> Long.compare(
                time("w:" + one), time("w:" + other))).toList()));
        assertThat(fields.keySet().stream().filter(each -> each.startsWith("a:")).count())
                .isEqualTo(Math.max(0, waiters.size() - 1)).isEqualTo(claims("b:").size());
        heap(v[10], v[11], holders);
        Set<String> buried = new HashSet<>();
        if (fields.containsKey("y")) {
            String[] y = fields.get("y").split("\\|");
            for (int i = Integer.parseInt(y[0]); i <= Integer.parseInt(y[1]); i++) {
                buried.add(fields.get("y:" + i));
            }
        }
        assertThat(claims("x:")).isEqualTo(buried);
        assertThat(claims("y:")).hasSize(buried.size());
        long latest = Long.parseLong(fields.get("e"));
        fields.keySet().stream().filter(each -> each.startsWith("h:") || each.startsWith("k:") || each.startsWith("x:"))
                .forEach(each -> assertThat(time(each)).isLessThanOrEqualTo(latest));
    }

    private List<String> line(String first) {
        List<String> line = new ArrayList<>();
        String before = null;
        for (String each = first; each != null && !each.isEmpty(); each = fields.get("a:" + each)) {
            assertThat(fields.get("b:" + each)).isEqualTo(before);
            line.add(each);
            before = each;
        }
        return line;
    }

    private void heap(String bound, String root, Set<String> holders) {
        List<String> found = new ArrayList<>(List.of(root));
        List<Long> bounds = new ArrayList<>(List.of(bound.isEmpty() ? 0 : Long.parseLong(bound)));
        for (int i = 2; fields.containsKey("p:" + i); i++) {
            String[] each = fields.get("p:" + i).split("\\|");
            found.add(each[1]);
            bounds.add(Long.parseLong(each[0]));
            assertThat(fields.get("i:" + each[1])).isEqualTo("" + i);
            assertThat(bounds.get((i - 2) / 4)).as("above").isLessThanOrEqualTo(bounds.get(i - 1));
        }
        assertThat(claims("p:")).hasSize(found.size() - 1);
        assertThat(claims("i:")).hasSize(found.size() - 1);
        if (holders.isEmpty()) {
            assertThat(root).isEmpty();
            return;
        }
        assertThat(found).containsExactlyInAnyOrderElementsOf(holders);
        if (found.size() > 1) {
            for (int i = 0; i < found.size(); i++) {
                String claim = found.get(i);
                assertThat(bounds.get(i)).as("bound").isLessThanOrEqualTo(
                        time(fields.containsKey("h:" + claim) ? "h:" + claim : "k:" + claim));
            }
        }
    }

    private long time(String field) {
        return Long.parseLong(fields.get(field).split("\\|")[0]);
    }

    private Set<String> claims(String kind) {
        Set<String> claims = new HashSet<>();
        fields.keySet().stream().filter(each -> each.startsWith(kind)).forEach(each -> claims.add(each.substring(2)));
        return claims;
    }
}
