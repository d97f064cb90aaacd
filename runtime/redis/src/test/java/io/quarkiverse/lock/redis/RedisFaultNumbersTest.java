package io.quarkiverse.lock.redis;

import java.util.Set;

import io.quarkiverse.lock.testkit.faults.FaultNumbersContract;

/** The faults of a Redis. Fault 51, which also needs a whole application, is with the integration tests. */
class RedisFaultNumbersTest extends FaultNumbersContract {

    @Override
    protected Set<Integer> demanded() {
        return Set.of(473, 474, 558, 559, 560, 561, 562, 563,
                1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30,
                31, 32, 33, 34, 35, 36, 37, 38, 39, 60, 61, 62, 63, 64, 65, 66, 101, 102, 107, 108, 117, 118, 120, 121, 122,
                123, 124, 125, 127, 130, 143, 144, 146, 180, 187, 188, 189, 190, 191, 192, 220, 222, 224, 225,
                226,
                207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 230, 231, 232, 233, 234, 235, 236, 237, 238,
                240, 241, 242, 243, 244, 245, 246, 247, 248, 249, 254, 255, 257, 258, 259, 260, 261, 262, 263, 290, 297, 308,
                309, 310,
                311, 312, 313, 339, 340, 341, 356, 362, 363, 364, 374, 390, 391, 392, 393, 394, 395, 396, 397, 398, 433, 399,
                451, 452, 453, 454, 455, 456, 457, 458, 459, 460, 461, 462, 478, 502, 524, 525, 526, 527, 529, 550);
    }

    @Override
    protected String environment() {
        return "redis";
    }
}
