package io.quarkiverse.lock.jpa;

import java.util.Set;

import io.quarkiverse.lock.testkit.faults.FaultNumbersContract;

/** Faults of a database. Those that also need a whole application, 51 and 52, are in the integration tests. */
class JpaFaultNumbersTest extends FaultNumbersContract {

    @Override
    protected Set<Integer> demanded() {
        return Set.of(473, 474,
                1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 48, 49, 50, 53, 54, 55, 56,
                57, 58, 60, 61, 62, 63, 64, 65, 66, 103, 107, 109, 110, 111, 112, 113, 114, 115, 119, 120, 121, 122, 123, 125,
                127, 130, 134, 147, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159, 178, 179, 180, 185, 195, 196, 197, 198,
                217, 218, 219, 384, 446,
                220, 222, 224, 225, 226, 349,
                207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 266, 267, 268, 269, 297, 314, 318, 319, 320,
                321, 322, 323, 325, 342, 365, 366, 367, 368, 413, 414, 415, 416, 417, 404, 405, 406, 374, 419, 488, 463, 464,
                465, 466, 467, 468, 469, 470, 478, 517, 518, 519, 520, 521, 522, 523, 527, 534, 535, 536, 537, 550,
                567, 568, 569, 570, 571);
    }

    @Override
    protected String environment() {
        return "postgresql";
    }
}
