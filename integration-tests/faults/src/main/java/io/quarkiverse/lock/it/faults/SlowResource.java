package io.quarkiverse.lock.it.faults;

import java.util.concurrent.TimeUnit;

import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;

import org.jboss.resteasy.reactive.RestPath;

import io.quarkiverse.lock.Locked;

/** Holds a lock for a while. */
@Path("/slow")
public class SlowResource {

    @POST
    @Path("/{name}/{millis}")
    @Locked("slow-{name}")
    public String slow(@RestPath String name, @RestPath int millis) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(millis); // work that takes a while, whatever happens to the application meanwhile
        return "done";
    }
}
