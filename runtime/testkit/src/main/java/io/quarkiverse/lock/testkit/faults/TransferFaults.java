package io.quarkiverse.lock.testkit.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.MappedByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.contract.Ability;
import io.quarkiverse.lock.testkit.contract.Needs;
import io.quarkiverse.lock.testkit.contract.Scale;
import io.quarkiverse.lock.testkit.process.ChildJvm;

/** Several JVMs move amounts between accounts, each transfer under the locks of both. */
public abstract class TransferFaults extends FaultSuite {

    private static final int JVMS = 4;
    private static final int THREADS = 8;
    private static final int ACCOUNTS = 20;
    private static final long EACH = 1_000;
    /** A wrong lock order would stop all JVMs within a second or two. The run keeps the whole machine busy. */
    private static final Duration RUN = Duration.ofSeconds(20);

    @TempDir
    Path folder;

    /** No cycle of waiters: otherwise some would fail as busy after 10 s, and so would the run. */
    @Test
    @Fault(62)
    @Needs(Ability.CHILD_JVMS)
    @Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void fault62_transfersAcrossJvmsKeepTheSum() throws Exception {
        Path file = folder.resolve("accounts");
        Files.write(file, new byte[ACCOUNTS * Long.BYTES]);
        MappedByteBuffer accounts = TransferChild.map(file);
        for (int i = 0; i < ACCOUNTS; i++) {
            accounts.putLong(i * Long.BYTES, EACH);
        }
        List<ChildJvm> children = new ArrayList<>();
        for (int i = 0; i < JVMS; i++) {
            children.add(closeLater(child("transfer-" + i, file)));
        }
        int millis = Scale.times((int) RUN.toMillis(), 3_000);
        List<CompletableFuture<String>> runs = new ArrayList<>();
        for (int i = 0; i < JVMS; i++) {
            runs.add(children.get(i).send(millis + " " + THREADS + " " + i));
        }
        for (CompletableFuture<String> each : runs) {
            assertThat(Integer.parseInt(each.get(millis + 60_000, TimeUnit.MILLISECONDS))).isPositive();
        }
        long sum = 0;
        for (int i = 0; i < ACCOUNTS; i++) {
            sum += accounts.getLong(i * Long.BYTES);
        }
        assertThat(sum).isEqualTo(ACCOUNTS * EACH);
    }

    private ChildJvm child(String owner, Path file) {
        ChildBackend.Spec spec = environment().childBackend();
        List<String> arguments = new ArrayList<>(
                List.of(spec.factory().getName(), owner, file.toString(), name() + "-account-"));
        arguments.addAll(spec.arguments());
        return ChildJvm.start(TransferChild.class, arguments.toArray(String[]::new));
    }
}
