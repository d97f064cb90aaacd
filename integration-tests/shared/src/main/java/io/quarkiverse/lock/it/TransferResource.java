package io.quarkiverse.lock.it;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;

/** Transfers on command, by several threads, between the accounts of a bank that all JVMs share. */
@Path("/transfers/{bank}")
public class TransferResource {

    private final Transfers transfers;
    private final Counts accounts;
    private final AtomicLong made = new AtomicLong();

    TransferResource(Transfers transfers, Counts accounts) {
        this.transfers = transfers;
        this.accounts = accounts;
    }

    @PUT
    public void open(String bank, @QueryParam("accounts") int count, @QueryParam("each") long each) {
        for (int i = 0; i < count; i++) {
            accounts.write(account(bank, i), each);
        }
    }

    @GET
    public long sum(String bank, @QueryParam("accounts") int count) {
        long sum = 0;
        for (int i = 0; i < count; i++) {
            sum += accounts.read(account(bank, i));
        }
        return sum;
    }

    /** How many transfers this JVM has made. */
    @GET
    @Path("/made")
    public long made(String bank) {
        return made.get();
    }

    /** Between any two accounts. */
    @POST
    @Path("/random")
    public void random(String bank, @QueryParam("accounts") int count, @QueryParam("threads") int threads,
            @QueryParam("millis") long millis, @QueryParam("guarded") boolean guarded) throws Exception {
        inThreads(threads, millis, () -> {
            var random = ThreadLocalRandom.current();
            String from = account(bank, random.nextInt(count));
            String to = account(bank, random.nextInt(count));
            if (guarded) {
                transfers.transfer(from, to, random.nextLong(10));
            } else {
                transfers.transferUnguarded(from, to, random.nextLong(10));
            }
            return null;
        });
    }

    /** Always from one account to another. */
    @POST
    @Path("/one-way")
    public void oneWay(String bank, @QueryParam("from") int from, @QueryParam("to") int to,
            @QueryParam("threads") int threads, @QueryParam("millis") long millis) throws Exception {
        inThreads(threads, millis, () -> {
            transfers.transfer(account(bank, from), account(bank, to), 1);
            return null;
        });
    }

    private void inThreads(int threads, long millis, Callable<Void> transfer) throws Exception {
        long end = System.nanoTime() + millis * 1_000_000;
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Callable<Void>> tasks = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                tasks.add(() -> {
                    while (System.nanoTime() < end) {
                        transfer.call();
                        made.incrementAndGet();
                    }
                    return null;
                });
            }
            for (Future<Void> each : pool.invokeAll(tasks)) {
                try {
                    each.get();
                } catch (ExecutionException e) {
                    throw e.getCause() instanceof RuntimeException failure ? failure : e;
                }
            }
        } finally {
            pool.shutdownNow();
        }
    }

    private static String account(String bank, int number) {
        return bank + "-" + number;
    }
}
