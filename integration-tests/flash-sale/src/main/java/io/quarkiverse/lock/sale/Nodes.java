package io.quarkiverse.lock.sale;

import java.net.URI;
import java.util.List;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;

/** The addresses of this shop's nodes. */
@ConfigMapping(prefix = "flash-sale")
interface Nodes {

    /** The name of this node on the page. */
    String name();

    /** All nodes, including this one. */
    List<URI> nodes();

    @WithDefault("100")
    int items();

    @WithDefault("500")
    int buyers();
}
