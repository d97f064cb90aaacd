package io.quarkiverse.lock.sale;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

import jakarta.enterprise.context.ApplicationScoped;

import org.jboss.logging.Logger;

/** All the buyers of a sale, who arrive at the same moment, distributed over the nodes in turn. */
@ApplicationScoped
class Crowd {

    private static final Logger LOG = Logger.getLogger(Crowd.class);
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    /** The number of items sold when the master dies, if it is to die. */
    private static final int MASTER_DIES_AFTER = 30;

    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final List<URI> nodes;
    private final Masters masters;

    Crowd(Nodes nodes, Masters masters) {
        this.nodes = nodes.nodes();
        this.masters = masters;
    }

    /** Starts the rush. Returns when all buyers are on their way. */
    void rush(Progress progress) {
        Sale sale = progress.sale();
        for (int buyer = 1; buyer <= sale.buyers(); buyer++) {
            URI node = nodes.get(buyer % nodes.size());
            order(node, sale, "buyer-" + buyer).whenComplete((response, failure) -> {
                if (failure == null && response.statusCode() == 200) {
                    boolean sold = response.body().contains("true");
                    if (progress.answered(sold) == MASTER_DIES_AFTER && sold && sale.masterDies()) {
                        masters.kill(progress);
                    }
                } else {
                    LOG.warnf(failure, "A buyer of sale %s got no answer: %s", sale.id(), response);
                    progress.failed();
                }
            });
        }
    }

    private CompletionStage<HttpResponse<String>> order(URI node, Sale sale, String buyer) {
        String path = "/sales/" + sale.id() + "/orders?buyer=" + buyer + "&locked=" + sale.locked();
        var request = HttpRequest.newBuilder(node.resolve(path)).timeout(PATIENCE).POST(BodyPublishers.noBody()).build();
        return http.sendAsync(request, BodyHandlers.ofString());
    }
}
