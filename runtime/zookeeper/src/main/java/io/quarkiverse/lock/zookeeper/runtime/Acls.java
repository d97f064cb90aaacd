package io.quarkiverse.lock.zookeeper.runtime;

import java.util.ArrayList;
import java.util.List;

import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;

/** Who may do what with lock nodes; the same for all of them. */
final class Acls {

    private static final String OPEN = "open";
    private static final String CREATOR = "creator";
    private static final String LETTERS = "rwcda";
    private static final int[] PERMISSIONS = { Perms.READ, Perms.WRITE, Perms.CREATE, Perms.DELETE, Perms.ADMIN };
    private static final int NEEDED = Perms.CREATE | Perms.DELETE | Perms.READ;

    private Acls() {
    }

    /**
     * @param mayBeKnown whether servers may know the client without any of our credentials: it is the application's own, or
     *        has a certificate. That is no reason for the default to be {@code creator}, which is refused if they do not
     */
    static List<ACL> of(ZooKeeperLockConfig config, boolean mayBeKnown) {
        boolean identified = config.auth().username().isPresent() || config.credentialsProvider().isPresent()
                || config.sasl().enabled();
        List<String> entries = config.acl().orElse(List.of(identified ? CREATOR : OPEN));
        if (entries.equals(List.of(OPEN))) {
            return Ids.OPEN_ACL_UNSAFE;
        }
        if (entries.equals(List.of(CREATOR))) {
            if (!identified && !mayBeKnown) {
                throw Property.wrong("acl", "=creator, but this application has no identity: set " + Property.PREFIX
                        + "auth.username and .password, or " + Property.PREFIX + "credentials-provider, or " + Property.PREFIX
                        + "sasl.enabled, or a key store for TLS");
            }
            return Ids.CREATOR_ALL_ACL;
        }
        List<ACL> all = new ArrayList<>();
        int given = 0;
        for (String entry : entries) {
            ACL parsed = parse(entry.strip());
            all.add(parsed);
            given |= parsed.getPerms();
        }
        if ((given & NEEDED) != NEEDED) {
            throw Property.wrong("acl", "=" + String.join(",", entries) + " lets nobody use the locks: that requires the "
                    + "permissions to create, delete and read (cdr), and to write as well (cdrw) where requestRelease or "
                    + "downgrade is used");
        }
        return List.copyOf(all);
    }

    /** The identifier itself may contain colons. */
    private static ACL parse(String entry) {
        int afterScheme = entry.indexOf(':');
        int beforePermissions = entry.lastIndexOf(':');
        if (afterScheme < 1 || beforePermissions == afterScheme || beforePermissions == entry.length() - 1) {
            throw Property.wrong("acl", " has '" + entry + "', which is not scheme:id:permissions, such as "
                    + "digest:shop:+7K83PhyQ3ijGj0ADmljf0quVwQ=:cdrwa; nor is the whole value 'open' or 'creator'");
        }
        int permissions = 0;
        for (char letter : entry.substring(beforePermissions + 1).toCharArray()) {
            int known = LETTERS.indexOf(letter);
            if (known < 0) {
                throw Property.wrong("acl", " has '" + entry + "' with the permission '" + letter
                        + "'; the permissions are c, d, r, w and a");
            }
            permissions |= PERMISSIONS[known];
        }
        return new ACL(permissions,
                new Id(entry.substring(0, afterScheme), entry.substring(afterScheme + 1, beforePermissions)));
    }
}
