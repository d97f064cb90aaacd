package io.quarkiverse.lock.jpa.pessimistic;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.jpa.database.ErrorMessages;
import io.quarkiverse.lock.jpa.database.LockConnection;
import io.quarkiverse.lock.jpa.database.Steps;
import io.quarkiverse.lock.jpa.database.Workers;
import io.quarkiverse.lock.jpa.table.NamePages;
import io.quarkiverse.lock.spi.support.ListedNames;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;

/** One page of the names whose rows are locked by transactions. */
final class PessimisticListing extends AbstractUni<LockQuery.Page> {

    private final LockQuery query;
    private final NamePages pages;
    private final Function<String, @Nullable LockInfo> here;
    private final RowLock rowLock;
    private final Steps steps;
    private final Workers workers;
    private final ErrorMessages errors;

    /** @param here the locks of this JVM, about which it knows more */
    PessimisticListing(LockQuery query, NamePages pages, Function<String, @Nullable LockInfo> here, RowLock rowLock,
            Steps steps, Workers workers, ErrorMessages errors) {
        this.query = query;
        this.pages = pages;
        this.here = here;
        this.rowLock = rowLock;
        this.steps = steps;
        this.workers = workers;
        this.errors = errors;
    }

    @Override
    public void subscribe(UniSubscriber<? super LockQuery.Page> subscriber) {
        Uni<LockQuery.Page> page = Uni.createFrom().item(this::page).runSubscriptionOn(task -> {
            if (!workers.run(task)) {
                throw errors.closed(ListedNames.of(query));
            }
        });
        AbstractUni.subscribe(page, subscriber);
    }

    private LockQuery.Page page() {
        NamePages.check(query);
        try {
            return steps.call(steps.deadline(), this::read);
        } catch (SQLException | RuntimeException e) {
            throw errors.failure(ListedNames.of(query), e);
        }
    }

    private LockQuery.Page read(LockConnection connection) throws SQLException {
        try (var isolation = rowLock.readCommitted(connection.jdbc())) {
            return pages.page(connection, query, rows -> locked(connection, rows));
        }
    }

    private List<LockInfo> locked(LockConnection connection, List<NamePages.Row> rows) throws SQLException {
        Map<String, Long> committed = new LinkedHashMap<>();
        rows.forEach(row -> committed.put(row.id(), row.state().fence()));
        Set<String> held = rowLock.held(connection.jdbc(), committed);
        List<LockInfo> locks = new ArrayList<>();
        for (NamePages.Row row : rows) {
            if (held.contains(row.id())) {
                LockInfo known = here.apply(row.name());
                locks.add(known != null ? known : PessimisticInspection.elsewhere(row.name()));
            }
        }
        return locks;
    }
}
