package io.quarkiverse.lock.jpa.table;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

import org.hibernate.SessionFactory;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.persister.entity.AbstractEntityPersister;

/** A table as a persistence unit has it. */
public final class MappedTable {

    private MappedTable() {
    }

    /**
     * The table's name: with its schema, and by the unit's naming strategy. The statements of locks have columns of fixed
     * names.
     *
     * @param columns separated by commas
     * @throws IllegalStateException if the naming strategy gives the columns other names; says what to do
     */
    public static String name(SessionFactory sessions, Class<?> entity, String columns) {
        var mapped = (AbstractEntityPersister) sessions.unwrap(SessionFactoryImplementor.class).getMappingMetamodel()
                .getEntityDescriptor(entity);
        List<String> known = List.of(columns.split(", "));
        Stream<String> ids = Arrays.stream(mapped.getIdentifierColumnNames());
        Stream<String> others = Arrays.stream(mapped.getPropertyNames())
                .flatMap(property -> Arrays.stream(mapped.getPropertyColumnNames(property)));
        List<String> renamed = Stream.concat(ids, others)
                .filter(column -> !known.contains(column.replaceAll("\\W", "").toLowerCase(Locale.ROOT))).toList();
        if (!renamed.isEmpty()) {
            throw new IllegalStateException("Locks use the columns of " + mapped.getTableName()
                    + " under their own names, but in "
                    + "their persistence unit they are called " + String.join(", ", renamed)
                    + ". Let its naming strategy (quarkus.hibernate-orm.physical-naming-strategy) leave them alone, or give "
                    + "locks another persistence unit, and name it with quarkus.lock.jpa.persistence-unit");
        }
        return mapped.getTableName();
    }
}
