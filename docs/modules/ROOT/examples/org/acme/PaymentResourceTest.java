package org.acme;

import static io.restassured.RestAssured.post;
import static org.hamcrest.CoreMatchers.startsWith;

import org.junit.jupiter.api.Test;

import io.quarkus.test.junit.QuarkusTest;

@QuarkusTest
class PaymentResourceTest {

    @Test
    void paysUnderALock() {
        post("/orders/42/payment").then()
                .statusCode(200)
                .body(startsWith("Order 42 is paid, fencing token "));
    }
}
