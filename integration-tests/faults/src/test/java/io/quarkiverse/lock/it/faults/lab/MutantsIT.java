package io.quarkiverse.lock.it.faults.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The laboratory finds what it should: a backend broken on purpose is caught within two minutes. Run by hand, with
 * {@code -Dlock.lab.mutants=all} or some of their names, and {@code lock.lab.backends} and {@code lock.lab.seed} as in
 * {@link LaboratoryIT}.
 */
@EnabledIfSystemProperty(named = "lock.lab.mutants", matches = ".+")
class MutantsIT {

    private static final long SECONDS = 120;
    private static final long SEED = Long.getLong("lock.lab.seed", ThreadLocalRandom.current().nextInt(1_000_000));

    @TempDir
    Path directory;

    static Stream<String> mutants() {
        String which = System.getProperty("lock.lab.mutants");
        Stream<String> chosen = which.equals("all")
                ? Arrays.stream(Mutant.values()).filter(each -> each != Mutant.NONE).map(Mutant::name)
                : Arrays.stream(which.split(","));
        return chosen.map(Mutant::valueOf).flatMap(mutant -> LaboratoryIT.backends().filter(mutant::harms)
                .map(backend -> backend + " " + mutant));
    }

    @ParameterizedTest
    @MethodSource("mutants")
    void mutantIsCaught(String backendAndMutant) throws Exception {
        String[] word = backendAndMutant.split(" ");
        Mutant mutant = Mutant.valueOf(word[1]);
        try (Stand stand = LaboratoryIT.stand(word[0]);
                var laboratory = new Laboratory(stand, SEED, mutant, directory.resolve(mutant.name()))) {
            Sitting sitting = laboratory.run(SECONDS);
            System.out.printf("| %s | %s | %s | %.1f s |%n", word[0], mutant,
                    sitting.violations().stream().map(each -> each.rule().toString()).distinct().sorted().toList(),
                    sitting.seconds());
            assertThat(sitting.violations()).as("%s goes unnoticed, seed %s", mutant, SEED).isNotEmpty();
        }
    }
}
