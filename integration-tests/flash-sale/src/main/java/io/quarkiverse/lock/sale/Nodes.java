package io.quarkiverse.lock.sale;

import java.net.URI;
import java.util.List;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;

/** Where the nodes of this shop are. */
@ConfigMapping(prefix = "flash-sale")
interface Nodes {

    /** What this node is called on the page. */
    String name();

    /** All of them, this one too. */
    List<URI> nodes();

    @WithDefault("100")
    int items();

    @WithDefault("500")
    int buyers();
}
