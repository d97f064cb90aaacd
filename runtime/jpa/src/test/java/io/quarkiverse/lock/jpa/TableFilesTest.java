package io.quarkiverse.lock.jpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.jpa.schema.Schema;
import io.quarkiverse.lock.jpa.table.LockRow;
import io.quarkiverse.lock.testkit.Fault;

/** The content of the files that create the tables, including those for databases that are not tested here. */
class TableFilesTest {

    private static final List<String> EXPERIMENTAL = List.of("db2", "oracle", "sqlserver");
    private static final List<String> DATABASES = List.of("db2", "h2", "mysql", "oracle", "postgresql", "sqlserver");

    /**
     * The driver sends Unicode, for which the server converts the column. Unless the collation is binary, it has to scan all
     * rows for that, and lower and upper case are often the same.
     */
    @Test
    void comparedColumnsAreBinaryOnSqlServer() throws IOException {
        String text = file("sqlserver", "V1__quarkus_lock.sql");
        for (String column : new String[] { "id VARCHAR(64)", "token VARCHAR(32)", "kind VARCHAR(1)",
                "lock_mode VARCHAR(1)" }) {
            assertThat(text.split("\\b" + java.util.regex.Pattern.quote(column) + " COLLATE Latin1_General_BIN2\\b", -1))
                    .as(column).hasSize(text.split("\\b" + java.util.regex.Pattern.quote(column), -1).length)
                    .hasSizeGreaterThan(1);
        }
    }

    /** A native image cannot list the content of a directory. */
    @Test
    @Fault(116)
    void fault116_allDatabasesHaveTheSameMigrations() throws Exception {
        Path all = Path.of(LockRow.class.getClassLoader().getResource("db/quarkus-lock").toURI());
        String changeLog = Files.readString(all.resolve("changelog.xml"));
        for (String database : DATABASES) {
            try (Stream<Path> files = Files.list(all.resolve(database))) {
                assertThat(files.map(file -> file.getFileName().toString()).sorted().toList()).as(database)
                        .isEqualTo(Schema.MIGRATIONS);
            }
            assertThat(changeLog).contains(Schema.MIGRATIONS.stream()
                    .map(migration -> "path=\"db/quarkus-lock/" + database + "/" + migration + "\"").toList());
        }
    }

    @Test
    @Fault(116)
    void fault116_untestedMigrationsAreMarkedExperimental() throws Exception {
        for (String database : DATABASES) {
            for (String migration : Schema.MIGRATIONS) {
                assertThat(file(database, migration).contains("experimental")).as(database + " " + migration)
                        .isEqualTo(EXPERIMENTAL.contains(database));
            }
        }
    }

    private static String file(String database, String migration) throws IOException {
        try (var in = LockRow.class.getClassLoader()
                .getResourceAsStream("db/quarkus-lock/" + database + "/" + migration)) {
            assertThat(in).isNotNull();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
