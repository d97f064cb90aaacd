package io.quarkiverse.lock.jpa.operation;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.jpa.database.LockConnection;
import io.quarkiverse.lock.jpa.table.LockNames;
import io.quarkiverse.lock.jpa.table.LockRow;
import io.quarkiverse.lock.jpa.table.NamePages;
import io.quarkiverse.lock.jpa.table.Statements;
import io.quarkiverse.lock.spi.support.ListedNames;

/** Reads one page of the names that are held or waited for. */
public final class Listing extends NamedOperation<LockQuery.Page> {

    private final LockQuery query;
    private final NamePages pages;
    private final ListedNames listed;

    public Listing(OperationRunner runner, LockQuery query, NamePages pages,
            ListedNames listed) {
        super(runner, ListedNames.of(query), LockNames.BEFORE_ALL);
        this.query = query;
        this.pages = pages;
        this.listed = listed;
    }

    @Override
    public LockQuery.Page run(long deadline) throws SQLException {
        NamePages.check(query);
        return steps.call(deadline, connection -> pages.page(connection, query, rows -> locks(connection, rows)));
    }

    private List<LockInfo> locks(LockConnection connection, List<NamePages.Row> rows) throws SQLException {
        Map<String, NameFindings> all = new LinkedHashMap<>();
        List<String> claimed = new ArrayList<>();
        for (NamePages.Row row : rows) {
            if (row.state().format() != LockRow.FORMAT) {
                listed.leftOut(runner.errors().format(row.name(), row.state().format()));
                continue;
            }
            var findings = new NameFindings(row.state());
            all.put(row.id(), findings);
            if (findings.hasClaims()) {
                claimed.add(row.id());
            }
        }
        for (int from = 0; from < claimed.size(); from += Statements.BATCH) {
            List<String> ids = claimed.subList(from, Math.min(claimed.size(), from + Statements.BATCH));
            connection.all(statements.claimsOf(ids.size()), row -> all.get(row.getString(11)).add(row), ids.toArray());
        }
        List<LockInfo> locks = new ArrayList<>();
        for (NamePages.Row row : rows) {
            NameFindings findings = all.get(row.id());
            if (findings != null) {
                findings.of(row.name()).ifPresent(locks::add);
            }
        }
        return locks;
    }

    /** An invalid query is no failure of the database. */
    @Override
    Throwable explained(Throwable failure) {
        return failure instanceof IllegalArgumentException ? failure : super.explained(failure);
    }
}
