package io.quarkiverse.lock.it;

import java.time.Duration;

import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockManagerName;
import io.quarkiverse.lock.Locked;

/** The manager named "patient" has a different lease in application.properties. */
@Path("/patient/{name}")
public class NamedManagerResource {

    private final LockManager patient;
    private final LockManager standard;

    NamedManagerResource(@LockManagerName("patient") LockManager patient, LockManager standard) {
        this.patient = patient;
        this.standard = standard;
    }

    /** How long a hold of this manager is valid, in seconds. */
    @POST
    @Path("/valid-for")
    public long validFor(String name) {
        try (LockHandle hold = patient.lock(name).acquire()) {
            return hold.validFor().toSeconds();
        }
    }

    /** Both use one server: what one manager holds, the other cannot have. */
    @POST
    @Path("/against-standard")
    public boolean excludes(String name) {
        try (LockHandle hold = patient.lock(name).acquire()) {
            return standard.lock(name).tryAcquire(Duration.ZERO).isEmpty();
        }
    }

    @POST
    @Path("/by-annotation")
    @Locked(value = "patient-{name}", manager = "patient")
    public long byAnnotation(String name) {
        return patient.held().stream().filter(held -> held.name().equals("patient-" + name))
                .mapToLong(held -> held.validFor().toSeconds()).findFirst().orElseThrow();
    }
}
