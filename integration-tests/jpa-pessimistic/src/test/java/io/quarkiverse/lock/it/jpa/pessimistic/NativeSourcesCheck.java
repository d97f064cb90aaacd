package io.quarkiverse.lock.it.jpa.pessimistic;

import java.util.List;

import io.quarkiverse.lock.it.NativeSourcesOfTablesChecks;
import io.quarkiverse.lock.jpa.pessimistic.PessimisticLockBackend;
import io.quarkiverse.lock.jpa.runtime.JpaLockBackendProvider;
import io.quarkiverse.lock.jpa.table.LockRow;

class NativeSourcesCheck extends NativeSourcesOfTablesChecks {

    @Override
    protected Class<?> backend() {
        return PessimisticLockBackend.class;
    }

    @Override
    protected List<String> reflective() {
        return List.of(JpaLockBackendProvider.class.getName(), LockRow.class.getName(),
                "io.quarkiverse.lock.jpa.table.LockClaimRow", "io.quarkiverse.lock.jpa.runtime.JpaLockConfig$$CMImpl");
    }
}
