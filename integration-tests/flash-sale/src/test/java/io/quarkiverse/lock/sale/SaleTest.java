package io.quarkiverse.lock.sale;

import java.net.URI;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.it.RedisResource;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;

/** A single node. */
@QuarkusTest
@QuarkusTestResource(RedisResource.class)
class SaleTest {

    @TestHTTPResource
    URI node;

    @Test
    void sellsExactlyTheStock() throws Exception {
        SaleContract.sellsExactlyTheStock(new Sales(node));
    }

    @Test
    void oversellsWithoutTheLock() throws Exception {
        SaleContract.oversellsWithoutTheLock(new Sales(node));
    }
}
