package io.quarkiverse.lock.zookeeper;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.spi.Claim;

/**
 * Where things lie: {@code <root>/<name>/_c_<token>-<kind><number>}, as Curator's recipes write it. The container of a name has
 * nothing else in it, since the recipes count whatever is there.
 */
final class NodePaths {

    private final String root;
    private final String exclusive;
    private final LockNodes nodes;

    NodePaths(String root, LockNodes nodes) {
        this.root = root;
        this.nodes = nodes;
        this.exclusive = nodes.kind(LockMode.EXCLUSIVE);
    }

    String root() {
        return root;
    }

    String container(String name) {
        return root + '/' + NodeNames.encode(name);
    }

    /**
     * The node of a claim whose creation had no reply. There may be two: the other is older, and of an earlier session.
     *
     * @param prefix as {@link #prefix}
     */
    static @Nullable String latest(String container, List<String> children, String prefix) {
        String latest = null;
        for (String child : children) {
            String path = container + '/' + child;
            // They differ in their numbers alone, which are padded with zeros
            if (path.startsWith(prefix) && (latest == null || path.compareTo(latest) > 0)) {
                latest = path;
            }
        }
        return latest;
    }

    /** The path of the claim's node, without its number. */
    String prefix(String container, Claim claim) {
        String token = claim.token();
        String kind = claim.mode() == LockMode.EXCLUSIVE ? exclusive : nodes.kind(claim.mode());
        var prefix = new StringBuilder(container.length() + 66).append(container).append("/_c_")
                .append(token, 0, 8).append('-').append(token, 8, 12).append('-').append(token, 12, 16).append('-')
                .append(token, 16, 20).append('-').append(token, 20, 32).append('-');
        LockNodes.appendLimit(prefix, claim.limit());
        return prefix.append(kind).toString();
    }
}
