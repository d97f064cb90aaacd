package io.quarkiverse.lock.it.jpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.it.NativeSources;
import io.quarkiverse.lock.it.Order;
import io.quarkiverse.lock.jpa.JpaLockBackend;
import io.quarkiverse.lock.jpa.notify.PromptSockets;
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
        List<String> names = NativeSources.reflective();
        assertThat(names).contains(JpaLockBackendProvider.class.getName(), LockRow.class.getName(), LockInfo.class.getName(),
                "io.quarkiverse.lock.jpa.table.LockClaimRow", PromptSockets.class.getName(),
                "io.quarkiverse.lock.jpa.runtime.JpaLockConfig$$CMImpl");
        // Names of locks are compiled: nothing of an argument's class is looked up
        assertThat(names).doesNotContain(Order.class.getName(), Order.Customer.class.getName());
    }

    @Test
    void startsAtRunTimeWhatCannotBeInAnImage() throws Exception {
        String feature = NativeSources.feature();
        List<String> notInAnImage = new ArrayList<>(NativeSources.notInAnImage(LockManager.class));
        notInAnImage.addAll(NativeSources.notInAnImage(JpaLockBackend.class));
        assertThat(notInAnImage).allSatisfy(name -> assertThat(feature).as("initialised at run time").contains(name));
    }
}
