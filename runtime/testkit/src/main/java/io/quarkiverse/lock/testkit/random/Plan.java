package io.quarkiverse.lock.testkit.random;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

import io.quarkiverse.lock.LockOptions;

/**
 * One request, decided before it is made, so that the decisions follow from the seed whatever happens to earlier requests.
 *
 * @param style how the lock is taken
 * @param patience how long to wait for it; zero asks once
 * @param lease the lease of the claim
 * @param giveUp after how long to interrupt or cancel; negative for never
 * @param hold how long to hold it
 * @param extend what to extend the lease to halfway through the hold; zero for not at all
 * @param leave whether to let its lease expire instead of releasing it
 */
record Plan(String name, Style style, Duration patience, Duration lease, boolean renew, long giveUp, long hold, Duration extend,
        boolean leave, long rest) {

    enum Style {
        BLOCKING,
        SCOPE,
        ASYNC,
        PIPELINE
    }

    private static final long MILLI = 1_000_000;

    static Plan make(SplittableRandom random, List<String> names, Duration longest) {
        // The first names are the hot ones
        String name = names.get(Math.min(random.nextInt(names.size()), random.nextInt(names.size())));
        Style style = Style.values()[oneOf(random, 45, 15, 30, 10)];
        Duration patience = switch (oneOf(random, 15, 15, 35, 35)) {
            case 0 -> Duration.ZERO;
            case 1 -> Duration.ofMillis(1 + random.nextInt(50));
            case 2 -> Duration.ofMillis(50 + random.nextInt(1000));
            default -> Duration.ofMillis(4000 + random.nextInt(8000));
        };
        boolean renew = random.nextInt(100) < 75;
        Duration lease = !renew ? Duration.ofMillis(1000 + random.nextInt(500)) : switch (oneOf(random, 55, 35, 10)) {
            case 0 -> Duration.ofSeconds(2);
            case 1 -> Duration.ofMillis(1000 + random.nextInt(2000));
            default -> Duration.ofSeconds(8);
        };
        long giveUp = random.nextInt(100) < 15 ? random.nextLong(random.nextBoolean() ? 30 * MILLI : 1500 * MILLI) : -1;
        long hold = switch (oneOf(random, 58, 25, 12, 5)) {
            case 0 -> random.nextLong(3 * MILLI);
            case 1 -> random.nextLong(50 * MILLI);
            case 2 -> random.nextLong(500 * MILLI);
            default -> 1000 * MILLI + random.nextLong(2000 * MILLI);
        };
        Duration extend = random.nextInt(100) < 10 ? Duration.ofMillis(1000 + random.nextInt(4000)) : Duration.ZERO;
        boolean leave = !renew && random.nextInt(100) < 10;
        long rest = random.nextInt(100) < 70 ? random.nextLong(4 * MILLI) : random.nextLong(200 * MILLI);
        return new Plan(name, style, patience, atMost(lease, longest), renew, giveUp, hold, atMost(extend, longest), leave,
                rest);
    }

    private static Duration atMost(Duration lease, Duration longest) {
        return lease.compareTo(longest) > 0 ? longest : lease;
    }

    private static int oneOf(SplittableRandom random, int... weights) {
        int at = random.nextInt(100);
        for (int i = 0; i < weights.length - 1; i++) {
            at -= weights[i];
            if (at < 0) {
                return i;
            }
        }
        return weights.length - 1;
    }

    LockOptions options() {
        return LockOptions.DEFAULTS.withWaitFor(patience).withLease(lease).withRenew(renew);
    }

    long longestLease() {
        return Math.max(lease.toNanos(), extend.toNanos());
    }
}
