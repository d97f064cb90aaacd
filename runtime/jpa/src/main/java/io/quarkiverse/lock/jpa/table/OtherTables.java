package io.quarkiverse.lock.jpa.table;

import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

import org.hibernate.boot.model.relational.Namespace;
import org.hibernate.boot.model.relational.Sequence;
import org.hibernate.mapping.Table;
import org.hibernate.tool.schema.spi.SchemaFilter;
import org.hibernate.tool.schema.spi.SchemaFilterProvider;

/**
 * Lets Hibernate validate all tables but those of locks. They may be created only once Hibernate has started, as only then is
 * it known what they are called; and they are checked then. Here they are known by their columns, which have fixed names.
 */
public final class OtherTables implements SchemaFilterProvider, SchemaFilter {

    private static final Set<Set<String>> OF_LOCKS = Set.of(Set.of(LockRow.ALL_COLUMNS.split(", ")),
            Set.of(LockClaimRow.ALL_COLUMNS.split(", ")));

    @Override
    public SchemaFilter getValidateFilter() {
        return this;
    }

    @Override
    public SchemaFilter getCreateFilter() {
        return ALL;
    }

    @Override
    public SchemaFilter getDropFilter() {
        return ALL;
    }

    @Override
    public SchemaFilter getTruncatorFilter() {
        return ALL;
    }

    @Override
    public SchemaFilter getMigrateFilter() {
        return ALL;
    }

    @Override
    public boolean includeNamespace(Namespace namespace) {
        return true;
    }

    @Override
    public boolean includeTable(Table table) {
        return !OF_LOCKS.contains(table.getColumns().stream().map(column -> column.getName().toLowerCase(Locale.ROOT))
                .collect(Collectors.toSet()));
    }

    @Override
    public boolean includeSequence(Sequence sequence) {
        return true;
    }
}
