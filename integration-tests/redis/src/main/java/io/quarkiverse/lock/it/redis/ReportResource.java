package io.quarkiverse.lock.it.redis;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

/** When the reports were due that have run, and on which nodes: a line each. */
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
