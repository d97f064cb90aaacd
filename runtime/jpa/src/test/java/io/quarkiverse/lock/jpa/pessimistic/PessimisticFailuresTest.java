package io.quarkiverse.lock.jpa.pessimistic;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;

import javax.transaction.xa.XAException;

import jakarta.transaction.RollbackException;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.testkit.Fault;

/** What a failed commit means, as Narayana reports it. */
class PessimisticFailuresTest {

    private static final SQLException GONE = new SQLException("the server is gone", "08006");

    @Test
    void commitWithoutConnectionMayHaveHappened() {
        var failure = new RollbackException("could not commit");
        failure.addSuppressed(gone());
        assertThat(PessimisticFailures.lostInCommit(failure)).isTrue();
        assertThat(PessimisticFailures.lostInCommit(new IllegalStateException(gone()))).isTrue();
    }

    @Test
    @Fault(466)
    void fault466_failedRollbackIsNotReportedAsLostCommit() {
        var failure = new RollbackException("could not commit");
        failure.initCause(new IllegalStateException("the flush has failed", GONE));
        failure.addSuppressed(gone());
        assertThat(PessimisticFailures.lostInCommit(failure)).isFalse();
        assertThat(PessimisticFailures.lostInCommit(new IllegalStateException(failure))).isFalse();
    }

    private static XAException gone() {
        var failure = new XAException(XAException.XAER_RMFAIL);
        failure.initCause(GONE);
        return failure;
    }
}
