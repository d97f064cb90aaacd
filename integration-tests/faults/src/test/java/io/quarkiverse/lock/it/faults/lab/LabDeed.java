package io.quarkiverse.lock.it.faults.lab;

/**
 * Something that a {@link LabNemesis} does.
 *
 * @param name for the report
 * @param times how often in a round
 * @param harmful whether it keeps anybody from its locks; the other deeds may cause only a short delay
 */
record LabDeed(String name, int times, boolean harmful, Act act, Act heal) {

    static final Act NOTHING = (site, node, length, lock) -> {
    };

    /** Does the deed or ends it. The end is also run if the deed has failed. */
    @FunctionalInterface
    interface Act {

        /**
         * @param length the duration in nanoseconds, if it has one
         * @param lock the affected lock, if there is one
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
