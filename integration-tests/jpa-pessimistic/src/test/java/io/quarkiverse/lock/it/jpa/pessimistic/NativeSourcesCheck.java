package io.quarkiverse.lock.it.jpa.pessimistic;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.it.NativeSources;
import io.quarkiverse.lock.jpa.pessimistic.PessimisticLockBackend;
import io.quarkiverse.lock.jpa.runtime.JpaLockBackendProvider;
import io.quarkiverse.lock.jpa.table.LockRow;

/**
 * What native-image would be given. Run with the profile {@code native-sources}, which writes it; does not need native-image.
 */
class NativeSourcesCheck {

    /** For {@code create-table}. */
    @Test
    void containsTheTables() throws IOException {
        List<Pattern> included = NativeSources.includedResources();
        assertThat(List.of("h2", "mysql", "postgresql", "oracle", "sqlserver", "db2"))
                .map(database -> "db/quarkus-lock/" + database + "/V1__quarkus_lock.sql")
                .allMatch(file -> included.stream().anyMatch(pattern -> pattern.matcher(file).matches()));
    }

    @Test
    void registersWhatIsReadByReflection() throws IOException {
        assertThat(NativeSources.reflective()).contains(JpaLockBackendProvider.class.getName(), LockRow.class.getName(),
                "io.quarkiverse.lock.jpa.table.LockClaimRow", "io.quarkiverse.lock.jpa.runtime.JpaLockConfig$$CMImpl");
    }

    @Test
    void startsAtRunTimeWhatCannotBeInAnImage() throws Exception {
        String feature = NativeSources.feature();
        List<String> notInAnImage = new ArrayList<>(NativeSources.notInAnImage(LockManager.class));
        notInAnImage.addAll(NativeSources.notInAnImage(PessimisticLockBackend.class));
        assertThat(notInAnImage).allSatisfy(name -> assertThat(feature).as("initialised at run time").contains(name));
    }
}
