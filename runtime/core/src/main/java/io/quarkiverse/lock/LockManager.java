package io.quarkiverse.lock;

import java.util.List;
import java.util.Optional;

import io.quarkiverse.lock.name.NameTemplate;
import io.smallrye.common.annotation.CheckReturnValue;
import io.smallrye.mutiny.Uni;

/**
 * Hands out locks by name. Injectable; {@link LockManagerName} picks one of several.
 *
 * <pre>{@code
 * @Inject
 * LockManager locks;
 *
 * try (LockHandle hold = locks.lock("stock-7").acquire()) {
 *     store.write(data, hold.fencingToken());
 * }
 * }</pre>
 *
 * What happens to locks when a server of the store crashes, loses its data or is cut off depends on the backend. With Redis it
 * also depends on {@code quarkus.lock.redis.after-failover}, {@code quarkus.lock.redis.replica-acks} and
 * {@code quarkus.lock.redis.quorum}: the guide's page on Redis has a table of these levels, with what each survives and costs.
 *
 * <p>
 * All methods can be called from any thread. Those that talk to the backend block: they fail with
 * {@link LockInterruptedException} if the thread is interrupted while it waits for the backend, and with
 * {@code BlockingOperationNotAllowedException} on an event loop. Their {@code Async} twins never block, do nothing until they
 * are subscribed to, and lead each subscriber back to where it subscribed: a worker, or its Vert.x context.
 */
public interface LockManager {

    /**
     * The lock of this name, with the options of this manager's configuration. No I/O.
     *
     * @param name any non-empty string of up to 1,024 characters, case-sensitive
     * @throws IllegalArgumentException if the name is empty or too long
     */
    default DistributedLock lock(String name) {
        return lock(name, LockOptions.DEFAULTS);
    }

    /**
     * The lock of this name. No I/O.
     *
     * @param name any non-empty string of up to 1,024 characters, case-sensitive
     * @param options what differs from this manager's configuration
     * @throws IllegalArgumentException if the name is empty or too long, if the options are out of bounds, or if this backend
     *         does not support them ({@link LockMode#SHARED}, a limit, {@code holdAtLeast}; on ZooKeeper a {@code lease} that
     *         is longer than its session allows and is not renewed; with {@code quarkus.lock.jpa.strategy=pessimistic} also
     *         {@code lease}, {@code renew} and {@code maxHold})
     */
    DistributedLock lock(String name, LockOptions options);

    /**
     * Several names as one lock, with the options of this manager's configuration: all or none are held, and the wait is for
     * all of them together. No I/O.
     *
     * <pre>{@code
     * try (LockHandle both = locks.all("account-" + from, "account-" + to).acquire()) {
     *     transfer(from, to, amount);
     * }
     * }</pre>
     *
     * They are taken in one step if the backend can do that and all are free (Redis, for names on one node). Otherwise they are
     * taken one after the other, in a fixed order whatever the order here. So two callers cannot wait for each other, as long
     * as neither holds another lock meanwhile. Names taken in vain are given back at once, whatever {@code holdAtLeast} says.
     * Those taken first are renewed until all are there: what limits them counts from the grant of the last one. The handle is
     * valid only while all are held, and has a fencing token for each.
     *
     * @param names one or more; a name that occurs twice counts once
     * @throws IllegalArgumentException if there is no name, or one is empty or too long
     * @throws IllegalStateException as for {@link #all(LockOptions, String...)}
     */
    default DistributedLock all(String... names) {
        return all(LockOptions.DEFAULTS, names);
    }

    /**
     * {@link #all(String...)} with options.
     *
     * @param options what differs from this manager's configuration
     * @throws IllegalArgumentException as for {@link #lock(String, LockOptions)}, or if there is no name
     * @throws IllegalStateException with {@code quarkus.lock.jpa.strategy=pessimistic}, for more than one name
     */
    DistributedLock all(LockOptions options, String... names);

    /**
     * Who holds this name now, anywhere, and how many JVMs wait for it at the backend; empty if nobody holds it or waits for
     * it. The backend does not know of callers that wait behind an exclusive holder in their own JVM.
     *
     * @throws LockBackendException if the backend does not answer
     */
    Optional<LockInfo> inspect(String name);

    /** {@link #inspect} without blocking. */
    @CheckReturnValue
    Uni<Optional<LockInfo>> inspectAsync(String name);

    /**
     * The names that are held or waited for now, anywhere, page by page. For operators.
     *
     * <pre>{@code
     * Optional<LockQuery> query = Optional.of(LockQuery.ALL.withPrefix("order-"));
     * while (query.isPresent()) {
     *     LockQuery.Page page = locks.list(query.get());
     *     page.locks().forEach(lock -> print(lock.name(), lock.holders()));
     *     query = page.next();
     * }
     * }</pre>
     *
     * The pages are not a snapshot. A lock that is held from the first page to the last appears on at least one of them; a lock
     * that is taken or released meanwhile may be missing, and a lock may appear twice. A page may be empty although more
     * follow, because the prefix is only a filter and stores keep unused names for a while.
     * <p>
     * No page holds up the store for long. Reading all pages takes time in proportion to the names in the store: for a single
     * name use {@link #inspect}.
     *
     * @throws LockBackendException if the backend does not answer, or has more names than it can list
     * @throws IllegalArgumentException if the query's continuation is not from a page of this backend
     * @throws IllegalStateException if the backend cannot list
     */
    LockQuery.Page list(LockQuery query);

    /** {@link #list} without blocking. */
    @CheckReturnValue
    Uni<LockQuery.Page> listAsync(LockQuery query);

    /**
     * Takes the lock away from its holders. For operators: a holder is told that it lost the lock, but may still be working.
     * Later holders get a greater fencing token.
     *
     * @return whether anybody held it
     * @throws LockBackendException if the backend does not answer
     * @throws IllegalStateException with {@code quarkus.lock.jpa.strategy=pessimistic}: end the session in the database
     */
    boolean forceRelease(String name);

    /** {@link #forceRelease} without blocking. */
    @CheckReturnValue
    Uni<Boolean> forceReleaseAsync(String name);

    /**
     * Asks the holders of this name, in any JVM, to finish soon. It takes nothing away: each holder keeps the lock, which is
     * still renewed, until it gives it back, and may ignore the request.
     *
     * <pre>{@code
     * locks.requestRelease("export");                                    // in one JVM
     * while (pages.hasNext() && !hold.isReleaseRequested()) { ... }      // in the other
     * }</pre>
     *
     * All current holders are asked, including those that share it; later holders are not. Nested handles are asked with the
     * one around them. Asking again changes nothing. A holder learns of it through {@link LockHandle#onReleaseRequested},
     * {@link CurrentLock#releaseRequested} or the CDI event {@link LockReleaseRequested}. It does so within moments if the
     * backend has a way to reach its JVM, and otherwise with the next renewal, a third of the lease after the last one. So a
     * holder whose lock is not renewed, due to {@code renew=false} or because {@code maxHold} is over, may never learn of it.
     * <p>
     * A lock whose release was requested is no longer handed on inside its JVM: when it is given back, waiters elsewhere get
     * their turn. If the asked holder has handed the lock on inside its JVM before the news arrived, the new holder is asked
     * instead.
     *
     * @return whether anybody holds it, once the backend has recorded the request. {@code false} for a free name, and for one
     *         that only stays taken after its holder has finished ({@code holdAtLeast}): then nothing is done
     * @throws LockBackendException if the backend does not answer; the holders may have been asked nevertheless
     * @throws IllegalStateException if locks live in transactions, where nobody can be asked
     */
    boolean requestRelease(String name);

    /** {@link #requestRelease} without blocking. */
    @CheckReturnValue
    Uni<Boolean> requestReleaseAsync(String name);

    /** What this JVM holds now, through any manager on the same backend. No I/O. */
    List<HeldLock> held();

    /**
     * The name that {@link Locked} makes of a template, for code that refers to the lock of an annotated method: a batch that
     * takes it, a tool that inspects it, a test. Concatenated texts are another name as soon as a part contains what follows it
     * in the template. Does not block.
     *
     * <pre>{@code
     * static final String STOCK = "stock-{warehouse}-{item}";
     *
     * &#64;Locked(STOCK)
     * void count(String warehouse, long item) { ... }
     *
     * locks.lock(LockManager.nameOf(STOCK, "eu-1", 7)) // stock-eu\-1-7
     * }</pre>
     *
     * @param template as in the annotation; the names in its braces have no meaning here. Property expressions are resolved
     *        with the current configuration
     * @param parts one value for each part in braces, in their order, also if a part occurs again; for {@code {order.id}} the
     *        value of the property
     * @throws IllegalArgumentException if this is no template, if there are more or fewer values than parts, or if a value is
     *         {@code null} or has no text that is the same in every JVM
     */
    static String nameOf(String template, Object... parts) {
        return NameTemplate.name(template, parts);
    }
}
