package io.quarkiverse.lock.jpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.jpa.table.LockRow;

/** What the files say that make the tables in databases that are not tested here. */
class TableFilesTest {

    /**
     * The driver sends Unicode, for which the server converts the column. By a collation that is not binary it has to look at
     * all rows for that, and lower and upper case are often the same.
     */
    @Test
    void onSqlServerWhatIsComparedIsBinary() throws IOException {
        String text = file("sqlserver");
        for (String column : new String[] { "id VARCHAR(64)", "token VARCHAR(32)", "kind VARCHAR(1)",
                "lock_mode VARCHAR(1)" }) {
            assertThat(text.split("\\b" + java.util.regex.Pattern.quote(column) + " COLLATE Latin1_General_BIN2\\b", -1))
                    .as(column).hasSize(text.split("\\b" + java.util.regex.Pattern.quote(column), -1).length)
                    .hasSizeGreaterThan(1);
        }
    }

    private static String file(String database) throws IOException {
        try (var in = LockRow.class.getClassLoader()
                .getResourceAsStream("db/quarkus-lock/" + database + "/R__quarkus_lock.sql")) {
            assertThat(in).isNotNull();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
