package io.quarkiverse.lock.zookeeper.nodes;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.spi.Claim;

/**
 * The paths of nodes: {@code <root>/<name>/_c_<token>-<kind><number>}, as Curator's recipes write them. The container of a name
 * contains nothing else, since the recipes count every child.
 */
public final class NodePaths {

    /** The format of what lies below the root. */
    public static final int FORMAT = 1;

    private final String root;
    private final String exclusive;
    private final LockNodes nodes;

    public NodePaths(String root, LockNodes nodes) {
        this.root = root;
        this.nodes = nodes;
        this.exclusive = nodes.kind(LockMode.EXCLUSIVE);
    }

    public String root() {
        return root;
    }

    public String container(String name) {
        return root + '/' + NodeNames.encode(name);
    }

    /**
     * The node of a claim whose creation had no reply. There may be two: the older one belongs to an earlier session.
     *
     * @param prefix as {@link #prefix}
     */
    public static @Nullable String latest(String container, List<String> children, String prefix) {
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
    public String prefix(String container, Claim claim) {
        String token = claim.token();
        String kind = claim.mode() == LockMode.EXCLUSIVE ? exclusive : nodes.kind(claim.mode());
        var prefix = new StringBuilder(container.length() + 66).append(container).append("/_c_")
                .append(token, 0, 8).append('-').append(token, 8, 12).append('-').append(token, 12, 16).append('-')
                .append(token, 16, 20).append('-').append(token, 20, 32).append('-');
        LockNodes.appendLimit(prefix, claim.limit());
        return prefix.append(kind).toString();
    }
}
