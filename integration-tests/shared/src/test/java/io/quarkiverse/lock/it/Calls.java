package io.quarkiverse.lock.it;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import io.quarkiverse.lock.testkit.Await;
import io.restassured.response.Response;

/** Calls to the application, also in the background. */
public final class Calls {

    private static final ExecutorService THREADS = Executors.newCachedThreadPool(Calls::daemon);
    private static final Duration PATIENCE = Duration.ofSeconds(25);

    private Calls() {
    }

    public static Response post(String path, Object... pathParameters) {
        return given().post(path, pathParameters);
    }

    /** The answer as a number. */
    public static long number(Response response) {
        assertThat(response.statusCode()).as(response.asString()).isEqualTo(200);
        return Long.parseLong(response.asString());
    }

    public static CompletableFuture<Response> postInBackground(String path, Object... pathParameters) {
        return CompletableFuture.supplyAsync(() -> post(path, pathParameters), THREADS);
    }

    public static CompletableFuture<Response> getInBackground(String path, Object... pathParameters) {
        return CompletableFuture.supplyAsync(() -> given().get(path, pathParameters), THREADS);
    }

    public static Response result(CompletableFuture<Response> call) throws Exception {
        return call.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    public static void awaitHeld(String name) {
        until("somebody holds " + name, () -> given().get("/locks/{name}", name).statusCode() == 200);
    }

    public static void awaitFree(String name) {
        until("nobody holds " + name, () -> given().get("/locks/{name}", name).statusCode() == 404);
    }

    public static boolean forceRelease(String name) {
        return Boolean.parseBoolean(given().delete("/locks/{name}", name).asString());
    }

    private static void until(String what, Callable<Boolean> condition) {
        Await.until(what, PATIENCE, condition);
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "caller");
        thread.setDaemon(true);
        return thread;
    }
}
