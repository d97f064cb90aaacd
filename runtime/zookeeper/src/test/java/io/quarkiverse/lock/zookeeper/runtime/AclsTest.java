package io.quarkiverse.lock.zookeeper.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;

import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkus.runtime.configuration.ConfigurationException;

/** {@code quarkus.lock.zookeeper.acl}. */
class AclsTest {

    @Test
    void defaultAclDependsOnCredentials() {
        assertThat(acls()).isEqualTo(Ids.OPEN_ACL_UNSAFE);
        assertThat(acls("auth.username", "shop", "auth.password", "secret")).isEqualTo(Ids.CREATOR_ALL_ACL);
        assertThat(acls("sasl.enabled", "true")).isEqualTo(Ids.CREATOR_ALL_ACL);
        assertThat(acls("auth.username", "shop", "auth.password", "secret", "acl", "open")).isEqualTo(Ids.OPEN_ACL_UNSAFE);
    }

    @Test
    void aclCanBeAListOfEntries() {
        assertThat(acls("acl", "digest:shop:+7K83PhyQ3ijGj0ADmljf0quVwQ=:cdrwa, ip:fe80::/10:r")).containsExactly(
                new ACL(Perms.ALL, new Id("digest", "shop:+7K83PhyQ3ijGj0ADmljf0quVwQ=")),
                new ACL(Perms.READ, new Id("ip", "fe80::/10")));
    }

    @Test
    void creatorAclNeedsCredentials() {
        assertThatThrownBy(() -> acls("acl", "creator")).isInstanceOf(ConfigurationException.class)
                .hasMessageStartingWith("quarkus.lock.zookeeper.acl=creator")
                .hasMessageContaining("quarkus.lock.zookeeper.auth.username").hasMessageContaining("key store");
        assertThat(Acls.of(Configured.with("acl", "creator"), true)).as("the application's own client knows who it is")
                .isEqualTo(Ids.CREATOR_ALL_ACL);
    }

    @Test
    void certificateAllowsCreatorButDefaultStaysOpen() {
        String[] certificate = { "tls.enabled", "true", "tls.key-store", "/keys.p12" };
        assertThat(Transport.hasCertificate(Configured.with(certificate), OtherExtensions.NONE)).isTrue();
        assertThat(Acls.of(Configured.with(certificate), true)).isEqualTo(Ids.OPEN_ACL_UNSAFE);
        assertThat(Transport.hasCertificate(Configured.with("tls.key-store", "/keys.p12"), OtherExtensions.NONE))
                .as("without TLS").isFalse();
        assertThat(Transport.hasCertificate(Configured.with("tls.enabled", "true"), OtherExtensions.NONE)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = { "everybody", "world:anyone", "world:anyone:", ":anyone:r", "world:anyone:rx", "open,creator" })
    void refusesInvalidEntries(String acl) {
        assertThatThrownBy(() -> acls("acl", acl)).isInstanceOf(ConfigurationException.class)
                .hasMessageStartingWith("quarkus.lock.zookeeper.acl ");
    }

    @ParameterizedTest
    @ValueSource(strings = { "world:anyone:rwca", "world:anyone:cd", "world:anyone:rdwa, ip:10.0.0.0/8:d" })
    void rejectsAclsWithoutAnyUser(String acl) {
        assertThatThrownBy(() -> acls("acl", acl)).isInstanceOf(ConfigurationException.class)
                .hasMessageStartingWith("quarkus.lock.zookeeper.acl=").hasMessageContaining("create, delete and read")
                .hasMessageContaining("cdrw").hasMessageContaining("requestRelease");
    }

    private static List<ACL> acls(String... properties) {
        return Acls.of(Configured.with(properties), false);
    }
}
