package io.quarkiverse.lock.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.it.reach.ReachedCode;

/**
 * The input that native-image would get, with each backend. Run with the profile {@code native-sources}, which writes it; does
 * not need native-image.
 */
public abstract class NativeSourcesChecks {

    /** A class in the backend's jar. */
    protected abstract Class<?> backend();

    /** The classes that are accessed by reflection. */
    protected abstract List<String> reflective();

    /** The classes that must not be: compiled code builds the names of locks from them. */
    protected List<String> compiled() {
        return List.of();
    }

    @Test
    void registersReflectiveClasses() throws IOException {
        assertThat(NativeSources.reflective()).containsAll(reflective()).noneMatch(compiled()::contains);
    }

    @Test
    void initializesUnfitClassesAtRunTime() throws IOException {
        assertThat(NativeSources.entries(LockManager.class, ".class")).hasSizeGreaterThan(100);
        List<String> notInAnImage = new ArrayList<>(NativeSources.notInAnImage(LockManager.class));
        notInAnImage.addAll(NativeSources.notInAnImage(backend()));
        String feature = NativeSources.feature();
        assertThat(notInAnImage).allSatisfy(name -> assertThat(feature).as("initialised at run time").contains(name));
    }

    @Test
    void reachedCodeHasNoMissingTypes() throws IOException {
        ReachedCode reached = NativeSources.reached();
        assertThat(reached.classes()).contains(backend().getName()).hasSizeGreaterThan(100);
        assertThat(reached.missingTypes()).isEmpty();
    }
}
