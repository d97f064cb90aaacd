package io.quarkiverse.lock.zookeeper;

import java.util.Set;

import io.quarkiverse.lock.testkit.faults.FaultNumbersContract;

/** Faults of ZooKeeper. */
class ZooKeeperFaultNumbersTest extends FaultNumbersContract {

    @Override
    protected Set<Integer> demanded() {
        return Set.of(473,
                1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 16, 17, 18, 21, 22, 23, 40, 41, 42, 43, 44, 45, 46, 47, 60,
                61, 62, 63, 64, 65, 66, 104, 107, 117, 120, 121, 122, 123, 125, 127, 130, 141, 145, 180, 193, 194, 200,
                201, 202, 203, 204, 205, 206,
                220, 222, 224, 225, 226,
                207, 209, 210, 211, 212, 214, 215, 216, 297, 298, 324, 327, 331, 332, 333, 346, 347, 373, 376,
                436, 437, 438, 439, 440, 442, 443, 478, 501, 515, 542, 547, 549, 564);
    }

    @Override
    protected String environment() {
        return "zookeeper";
    }
}
