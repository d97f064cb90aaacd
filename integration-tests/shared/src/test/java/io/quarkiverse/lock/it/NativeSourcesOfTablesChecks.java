package io.quarkiverse.lock.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

/** As {@link NativeSourcesChecks}, with locks in a database. */
public abstract class NativeSourcesOfTablesChecks extends NativeSourcesChecks {

    /** For {@code create-table}. */
    @Test
    void containsTableScripts() throws IOException {
        List<Pattern> included = NativeSources.includedResources();
        assertThat(List.of("h2", "mysql", "postgresql", "oracle", "sqlserver", "db2"))
                .map(database -> "db/quarkus-lock/" + database + "/V1__quarkus_lock.sql")
                .allMatch(file -> included.stream().anyMatch(pattern -> pattern.matcher(file).matches()));
    }
}
