package io.quarkiverse.lock.deployment.index;

import static org.assertj.core.api.Assertions.assertThat;

import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.Index;
import org.junit.jupiter.api.Test;

class PackagesTest {

    @Test
    void classInUnnamedPackageIsHandled() throws Exception {
        Index index = Index.of(Class.forName("WithoutPackage"), PackagesTest.class);
        ClassInfo without = index.getClassByName("WithoutPackage");
        ClassInfo with = index.getClassByName(PackagesTest.class);
        assertThat(Packages.same(without, without)).isTrue();
        assertThat(Packages.same(without, with)).isFalse();
        assertThat(Packages.same(with, without)).isFalse();
        assertThat(Packages.opens(without.firstMethod("run"), without)).isTrue();
        assertThat(Packages.opens(without.firstMethod("run"), with)).isFalse();
    }
}
