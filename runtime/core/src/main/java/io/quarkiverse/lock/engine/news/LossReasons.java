package io.quarkiverse.lock.engine.news;

import io.quarkiverse.lock.engine.state.Lease;

/** Why holds are lost, in the words of messages and events. */
public final class LossReasons {

    public static final String NOT_RENEWED = "its lease ended without a successful renewal";
    static final String RENEWAL_OVER = "its lease ended, as it is no longer renewed (quarkus.lock.renew, quarkus.lock.max-hold)";
    public static final String GONE = "the backend no longer has it: it was force-released, evicted or expired there";

    private LossReasons() {
    }

    /** Why a lease whose deadline has passed is over, whoever notices it. */
    public static String atDeadline(Lease lease) {
        return lease.renewalDue() == Long.MAX_VALUE ? RENEWAL_OVER : NOT_RENEWED;
    }

    /** Whether the lease simply ran out, and nothing else ended it. */
    public static boolean isDeadline(String reason) {
        return reason.equals(NOT_RENEWED) || reason.equals(RENEWAL_OVER);
    }
}
