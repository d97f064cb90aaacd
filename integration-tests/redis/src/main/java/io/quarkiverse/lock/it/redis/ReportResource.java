package io.quarkiverse.lock.it.redis;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

/** The due times of the reports that have run, and their nodes: one line each. */
@Path("/reports/{kind}")
public class ReportResource {

    private final Reports reports;

    ReportResource(Reports reports) {
        this.reports = reports;
    }

    @GET
    public String runs(String kind) {
        return String.join("\n", reports.runs(kind));
    }
}
