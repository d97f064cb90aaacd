package io.quarkiverse.lock.it.faults.lab;

/**
 * Something that a {@link LabNemesis} does.
 *
 * @param name for the report
 * @param times how often in a round
 * @param harmful whether it keeps anybody from its locks; of the others nobody is to notice anything but a short delay
 */
record LabDeed(String name, int times, boolean harmful, Act act, Act heal) {

    static final Act NOTHING = (site, node, length, lock) -> {
    };

    /** What is done, and what ends it; the latter is also done when the former has failed. */
    @FunctionalInterface
    interface Act {

        /**
         * @param length for how long, in nanoseconds, if it lasts
         * @param lock the lock it is done to, if it is done to one
         */
        void on(LabNemesis site, LabNode node, long length, String lock) throws Exception;
    }

    static LabDeed harmful(String name, int times, Act act) {
        return new LabDeed(name, times, true, act, NOTHING);
    }

    static LabDeed harmless(String name, int times, Act act) {
        return new LabDeed(name, times, false, act, NOTHING);
    }

    LabDeed healedBy(Act heal) {
        return new LabDeed(name, times, harmful, act, heal);
    }
}
