package io.quarkiverse.lock.it.jpa;

import java.util.List;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.it.NativeSourcesOfTablesChecks;
import io.quarkiverse.lock.it.Order;
import io.quarkiverse.lock.jpa.JpaLockBackend;
import io.quarkiverse.lock.jpa.notify.PromptSockets;
import io.quarkiverse.lock.jpa.runtime.JpaLockBackendProvider;
import io.quarkiverse.lock.jpa.table.LockRow;

class NativeSourcesCheck extends NativeSourcesOfTablesChecks {

    @Override
    protected Class<?> backend() {
        return JpaLockBackend.class;
    }

    @Override
    protected List<String> reflective() {
        return List.of(JpaLockBackendProvider.class.getName(), LockRow.class.getName(), LockInfo.class.getName(),
                "io.quarkiverse.lock.jpa.table.LockClaimRow", PromptSockets.class.getName(),
                "io.quarkiverse.lock.jpa.runtime.JpaLockConfig$$CMImpl");
    }

    @Override
    protected List<String> compiled() {
        return List.of(Order.class.getName(), Order.Customer.class.getName());
    }
}
