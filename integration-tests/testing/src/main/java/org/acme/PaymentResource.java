package org.acme;

import jakarta.inject.Inject;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;

import io.quarkiverse.lock.CurrentLock;
import io.quarkiverse.lock.Locked;

@Path("/orders/{id}/payment")
public class PaymentResource {

    @Inject
    CurrentLock lock;

    @POST
    @Locked("order-{id}") // <1>
    public String pay(String id) throws InterruptedException {
        Thread.sleep(3000); // <2>
        return "Order " + id + " is paid, fencing token " + lock.fencingToken() + "\n"; // <3>
    }
}
