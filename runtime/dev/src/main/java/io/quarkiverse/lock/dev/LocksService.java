package io.quarkiverse.lock.dev;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

import jakarta.enterprise.context.ApplicationScoped;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockException;
import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.dev.RecentLosses.Loss;
import io.quarkiverse.lock.dev.Settings.Setting;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.acquire.LockNameRule;
import io.quarkiverse.lock.engine.lease.Census;
import io.quarkiverse.lock.runtime.manager.LockEngines;
import io.quarkiverse.lock.runtime.manager.LockManagers;
import io.quarkiverse.lock.runtime.method.LockedDefinition;
import io.quarkiverse.lock.runtime.method.LockedMethod;
import io.quarkiverse.lock.runtime.method.LockedMethods;
import io.quarkiverse.lock.spi.PrintableDuration;
import io.quarkiverse.lock.text.PrintableName;
import io.quarkus.runtime.annotations.DevMCPEnableByDefault;
import io.quarkus.runtime.annotations.JsonRpcDescription;
import io.smallrye.mutiny.Multi;

/**
 * Called by the pages of the Dev UI and the tools of Dev MCP, on worker threads. Tools that change something are off until the
 * developer enables them. Failures are reported in the answer: an exception would be logged as an error with a stack trace.
 */
@ApplicationScoped
public class LocksService {

    private static final String MANAGER = "Name of the lock manager, from the tool that lists managers; <default> for the default one";
    private static final String NAME = "Name of the lock";
    private static final Duration LONGEST = Duration.ofMinutes(10);
    /** There may be very many, and the page asks every second. */
    private static final int MOST_CALLERS = 200;

    private final LockEngines engines;
    private final LockedMethods methods;
    private final RecentLosses losses;
    private final Trouble trouble;

    LocksService(LockEngines engines, LockedMethods methods, RecentLosses losses, Trouble trouble) {
        this.engines = engines;
        this.methods = methods;
        this.losses = losses;
        this.trouble = trouble;
    }

    /** A manager, its backend, and the settings in force where a lock sets nothing else. */
    public record Manager(String name, String backend, List<Setting> settings) {
    }

    /** @param limit 0 for none */
    public record Method(String method, String template, String id, String manager, String mode, int limit, String onBusy,
            List<Setting> settings) {
    }

    /**
     * @param state {@code held} or {@code waiting}
     * @param name the name as {@link PrintableName} shows it if it is not {@code addressable}
     * @param addressable whether the name can be sent; UTF-8 has no form for an unpaired surrogate
     * @param template {@code null} for a lock that was taken through a {@code LockManager}
     * @param fencingToken a text: JavaScript's numbers are not that exact
     */
    public record Caller(String state, String name, boolean addressable, @Nullable String template, String manager, String mode,
            String fencingToken, String since) {
    }

    /**
     * @param callers the first of them, by name
     * @param more how many others there are
     */
    public record Callers(List<Caller> callers, int more) {
    }

    /**
     * @param name the name as for a {@link Caller}
     * @param addressable as for a {@link Caller}
     */
    public record Stored(String name, boolean addressable, int waiters, List<StoredHolder> holders) {
    }

    /** @param leaseLeft {@code null} if the store does not know */
    public record StoredHolder(String owner, String mode, String fencingToken, String heldFor, @Nullable String leaseLeft) {
    }

    /**
     * @param continuation for the next page; {@code null} if this is the last one
     * @param problem why there is no answer; {@code null} if there is one
     */
    public record StoredPage(List<Stored> locks, @Nullable String continuation, @Nullable String problem) {
    }

    /** @param done whether the request was carried out */
    public record Answer(boolean done, String text) {
    }

    @JsonRpcDescription("Lists the lock managers of the application with their backends, their default settings, and where each setting comes from")
    @DevMCPEnableByDefault
    public List<Manager> managers() {
        Origins origins = new Origins();
        if (engines.off()) {
            return engines.managers().stream().map(name -> new Manager(name, "switched off", List.of())).toList();
        }
        return engines.managers().stream().map(name -> {
            LockEngine engine = engines.engine(name);
            return new Manager(name, engine.backend().name(), Settings.of(engines.defaults(name), engine, origins));
        }).toList();
    }

    @JsonRpcDescription("Lists all @Locked methods with the template of their lock's name, the settings in force after configuration, and where each setting comes from")
    @DevMCPEnableByDefault
    public List<Method> methods() {
        Origins origins = new Origins();
        return methods.all().stream().map(method -> describe(method, origins))
                .sorted(Comparator.comparing(Method::method)).toList();
    }

    private static Method describe(LockedMethod method, Origins origins) {
        LockedDefinition definition = method.definition();
        return new Method(definition.description(), definition.template(), definition.id(), definition.manager(),
                definition.mode().name(), definition.limit(), definition.onBusy().name(), Settings.of(method, origins));
    }

    @JsonRpcDescription("Lists who holds a lock and who waits for one in this JVM now, with the name, the @Locked template, the fencing token and for how long: the first 200 by name, and how many more there are")
    @DevMCPEnableByDefault
    public Callers callers() {
        List<Census.Caller> all = new ArrayList<>();
        for (LockEngine engine : engines.all()) {
            all.addAll(engine.census().callers());
        }
        all.sort(Comparator.comparing(Census.Caller::name).thenComparing(caller -> !caller.holds()));
        List<Caller> shown = all.stream().limit(MOST_CALLERS).map(LocksService::describe).toList();
        return new Callers(shown, all.size() - shown.size());
    }

    private static Caller describe(Census.Caller caller) {
        return new Caller(caller.holds() ? "held" : "waiting", shown(caller.name()), LockNameRule.hasUtf8Form(caller.name()),
                caller.template(), caller.manager(), mode(caller.mode(), caller.limit()), Long.toString(caller.fencingToken()),
                PrintableDuration.ofNanos(caller.nanos()));
    }

    /** What is sent would be another name otherwise. */
    static String shown(String name) {
        return LockNameRule.hasUtf8Form(name) ? name : PrintableName.oneLine(name);
    }

    private static String mode(LockMode mode, int limit) {
        return limit > 0 ? "limit " + limit : mode.name().toLowerCase(Locale.ROOT);
    }

    @JsonRpcDescription("Lists the locks that are held or waited for anywhere, as the store knows them, page by page: with the owner, the fencing token and for how long")
    @DevMCPEnableByDefault
    public StoredPage stored(@JsonRpcDescription(MANAGER) @Nullable String manager,
            @JsonRpcDescription("The prefix of the names; empty for all names") @Nullable String prefix,
            @JsonRpcDescription("Continuation from the previous page; empty for the first page") @Nullable String continuation) {
        try {
            LockQuery query = LockQuery.ALL.withPrefix(prefix == null ? "" : prefix)
                    .withContinuation(continuation == null || continuation.isEmpty() ? null : continuation);
            LockQuery.Page page = locks(manager).list(query);
            return new StoredPage(page.locks().stream().map(LocksService::describe).toList(),
                    page.next().map(LockQuery::continuation).orElse(null), null);
        } catch (LockException | IllegalStateException | IllegalArgumentException e) {
            return new StoredPage(List.of(), null, e.getMessage());
        }
    }

    private static Stored describe(LockInfo lock) {
        return new Stored(shown(lock.name()), LockNameRule.hasUtf8Form(lock.name()), lock.waiters(), lock.holders().stream()
                .map(holder -> new StoredHolder(holder.owner(), mode(holder.mode(), holder.limit()),
                        Long.toString(holder.fencingToken()),
                        PrintableDuration.of(holder.heldFor()),
                        holder.remaining().isZero() ? null : PrintableDuration.of(holder.remaining())))
                .toList());
    }

    @JsonRpcDescription("Lists the locks that this JVM has lost most recently while they were held, latest first, with the reason")
    @DevMCPEnableByDefault
    public List<Loss> losses() {
        return losses.list();
    }

    @JsonRpcDescription("Asks the holders of a lock to finish soon and release it; takes nothing away")
    public Answer requestRelease(@JsonRpcDescription(MANAGER) @Nullable String manager,
            @JsonRpcDescription(NAME) @Nullable String name) {
        return answer(name, known -> locks(manager).requestRelease(known)
                ? new Answer(true, "Whoever holds " + quoted(known) + " has been asked to release it")
                : nobodyHolds(known));
    }

    @JsonRpcDescription("Takes a lock away from all its holders, in any JVM: they lose it. Use it to try out what the application does then")
    public Answer forceRelease(@JsonRpcDescription(MANAGER) @Nullable String manager,
            @JsonRpcDescription(NAME) @Nullable String name) {
        return answer(name, known -> locks(manager).forceRelease(known)
                ? new Answer(true, "Whoever held " + quoted(known) + " has lost it")
                : nobodyHolds(known));
    }

    @JsonRpcDescription("Holds a free lock for some time, so that callers of the application find it busy. Use it to try out what the application does then; a forced release ends it early")
    public Answer occupy(@JsonRpcDescription(MANAGER) @Nullable String manager, @JsonRpcDescription(NAME) @Nullable String name,
            @JsonRpcDescription("For how many seconds, 1 to 600") @Nullable Integer seconds) {
        Duration time = Duration.ofSeconds(seconds == null ? 0 : seconds);
        if (time.isZero() || time.isNegative() || time.compareTo(LONGEST) > 0) {
            return new Answer(false, "A lock can be occupied for 1 to " + LONGEST.toSeconds() + " seconds");
        }
        return answer(name, known -> trouble.occupy(locks(manager), known, time)
                ? new Answer(true, quoted(known) + " is busy for " + PrintableDuration.of(time))
                : new Answer(false, quoted(known) + " is busy already"));
    }

    /** The label on the card's page, as it changes. */
    public Multi<String> streamCounts() {
        return Multi.createFrom().ticks().every(Duration.ofSeconds(1)).onOverflow().drop().map(tick -> counts())
                .skip().repetitions();
    }

    private String counts() {
        int held = 0;
        int waiting = 0;
        for (LockEngine engine : engines.all()) {
            for (Census.Count count : engine.census().take().values()) {
                held += count.held();
                waiting += count.waiting();
            }
        }
        return held + " / " + waiting + " / " + losses.list().size();
    }

    /** @param wanted {@code null} for the default one: tools omit what they do not know */
    private LockManager locks(@Nullable String wanted) {
        String manager = wanted == null ? LockManagers.DEFAULT : wanted;
        if (!engines.managers().contains(manager)) {
            throw new IllegalArgumentException("There is no lock manager " + quoted(manager) + "; there are "
                    + String.join(", ", engines.managers()));
        }
        return engines.manager(manager);
    }

    private Answer answer(@Nullable String name, Function<String, Answer> action) {
        if (name == null) {
            return new Answer(false, "The name of the lock is missing");
        }
        if (engines.off()) {
            return new Answer(false, "Locks are switched off (quarkus.lock.enabled=false)");
        }
        try {
            return action.apply(name);
        } catch (LockException | IllegalStateException | IllegalArgumentException e) {
            return new Answer(false, e.getMessage() == null ? e.toString() : e.getMessage());
        }
    }

    private static Answer nobodyHolds(String name) {
        return new Answer(false, "Nobody holds " + quoted(name));
    }

    private static String quoted(String name) {
        return '\'' + PrintableName.of(name) + '\'';
    }
}
