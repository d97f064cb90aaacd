package io.quarkiverse.lock.redis.operation;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.redis.script.Call;
import io.quarkiverse.lock.redis.script.ErrorMessages;
import io.quarkiverse.lock.redis.script.RedisFailure;
import io.quarkiverse.lock.redis.script.Script;
import io.quarkiverse.lock.redis.script.ScriptArguments;
import io.quarkiverse.lock.redis.script.ScriptCall;
import io.quarkiverse.lock.redis.topology.Masters;
import io.quarkiverse.lock.redis.topology.RedisConnections;
import io.quarkiverse.lock.spi.Outcome;
import io.quarkiverse.lock.spi.support.ListedNames;
import io.vertx.redis.client.Response;

/**
 * Finds the keys of one page in steps of {@code SCAN}, on one master after another, and asks for the state of each, because a
 * released name leaves its key for a while. Each command is short, since all others wait for it. A page ends after a step, at
 * the latest when it has taken long. A continuation has the cursor, the process and the master that it belongs to, and the
 * version of the slots. If another process answers, its keys are scanned from the beginning; if slots have moved, all keys are,
 * even when that is found only at the end. Event loop only.
 */
public final class NameListing {

    private static final Pattern CONTINUATION = Pattern.compile("(\\d{1,20})@(\\w*)@(\\w*)@(.*)");
    private static final String START = "0";
    /** How many buckets of the database's table one command looks at: some 0.1 ms. */
    private static final int MOST_BUCKETS = 100;
    /** The most commands for one page; keys that belong to no lock are skipped. */
    private static final int MOST_SCANS = 64;
    /** Limited, because other calls of this JVM use the same connection. */
    private static final int IN_FLIGHT = 32;
    private static final long ASK_AGAIN = TimeUnit.MILLISECONDS.toNanos(20);

    private final RedisConnections connections;
    private final ScriptArguments arguments;
    private final ErrorMessages errors;
    private final AdminCalls admin;
    private final ListedNames listed;
    private final LockQuery query;
    private final Outcome<LockQuery.Page> outcome;
    private final long timeoutNanos;
    /** For the whole page, whatever it asks for. */
    private final long deadline;
    private final List<LockInfo> locks = new ArrayList<>();
    private List<String> masters = List.of();
    private String master = "";
    private String version = "";
    /** The process that gave the cursor. */
    private String run = "";
    private String cursor = START;
    private int scans;
    private int found;
    private int open;

    public NameListing(RedisConnections connections, ScriptArguments arguments, ErrorMessages errors, AdminCalls admin,
            ListedNames listed, LockQuery query, Outcome<LockQuery.Page> outcome) {
        this.connections = connections;
        this.arguments = arguments;
        this.errors = errors;
        this.admin = admin;
        this.listed = listed;
        this.query = query;
        this.outcome = outcome;
        this.timeoutNanos = connections.options().operationTimeout().toNanos();
        this.deadline = System.nanoTime() + timeoutNanos;
    }

    public void begin() {
        if (goesOn(query.continuation())) {
            connections.masters(deadline, this::found, this::unknown);
        } else {
            outcome.fail(ListedNames.foreignContinuation("in Redis"));
        }
    }

    /** False if it is not one of ours. */
    private boolean goesOn(@Nullable String continuation) {
        if (continuation == null) {
            return true;
        }
        Matcher parts = CONTINUATION.matcher(continuation);
        if (!parts.matches()) {
            return false;
        }
        cursor = parts.group(1);
        run = parts.group(2);
        version = parts.group(3);
        master = parts.group(4);
        try {
            Long.parseUnsignedLong(cursor);
            return true;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    private void found(Masters known) {
        if (!known.version().equals(version) || !known.addresses().contains(master)) {
            beginWith(known);
        }
        masters = known.addresses();
        scan();
    }

    /** Names already seen may have moved, and names not yet seen may be where the scan has already been. */
    private void beginWith(Masters known) {
        version = known.version();
        master = known.addresses().get(0);
        cursor = START;
        run = "";
    }

    private void unknown(RedisFailure why) {
        if (why.fate() != RedisFailure.Fate.NOT_SENT
                || System.nanoTime() - deadline > 0) {
            outcome.fail(errors.failure(ListedNames.of(query), why));
        } else if (!outcome.over()) {
            connections.after(ASK_AGAIN, () -> connections.masters(deadline, this::found, this::unknown));
        }
    }

    private void scan() {
        var scan = new Scan();
        scan.deadline = deadline;
        connections.sendTo(master, scan);
    }

    private void scanned(String at, String next, Response keys) {
        Set<String> names = new LinkedHashSet<>();
        for (Response key : keys) {
            String name = arguments.name(key.toString());
            if (name != null && name.startsWith(query.prefix())) {
                names.add(name);
            }
        }
        found += names.size();
        run = at;
        cursor = next;
        inspect(names.iterator());
    }

    private void inspect(Iterator<String> names) {
        for (int i = 0; i < IN_FLIGHT && names.hasNext(); i++) {
            inspectNext(names);
        }
        if (open == 0) {
            inspected();
        }
    }

    private void inspectNext(Iterator<String> names) {
        open++;
        Call look = admin.inspect(names.next(), known -> {
            known.ifPresent(locks::add);
            inspectedOne(names);
        }, unreadable -> {
            listed.leftOut(unreadable);
            inspectedOne(names);
        }, failure -> {
            open--;
            outcome.fail(failure);
        });
        look.deadline = deadline;
        connections.send(look);
    }

    private void inspectedOne(Iterator<String> names) {
        open--;
        if (names.hasNext() && !outcome.over()) {
            inspectNext(names);
        } else if (open == 0) {
            inspected();
        }
    }

    private void inspected() {
        if (!cursor.equals(START)) {
            goOn();
            return;
        }
        run = "";
        int next = masters.indexOf(master) + 1;
        if (next < masters.size()) {
            master = masters.get(next);
            goOn();
        } else {
            connections.masters(deadline, this::finish,
                    failure -> outcome.fail(errors.failure(ListedNames.of(query), failure)));
        }
    }

    /** Half a page is enough: filling it would take smaller and smaller steps. */
    private void goOn() {
        if (2 * found < query.pageSize() && ++scans < MOST_SCANS && !late() && !outcome.over()) {
            scan();
        } else {
            finish(true);
        }
    }

    private boolean late() {
        return deadline - System.nanoTime() < timeoutNanos * 2 / 3;
    }

    /** All masters were asked. */
    private void finish(Masters now) {
        boolean moved = !now.version().equals(version);
        if (moved) {
            beginWith(now);
        }
        finish(moved);
    }

    private void finish(boolean more) {
        outcome.complete(new LockQuery.Page(locks, more
                ? Optional.of(query.withContinuation(String.join("@", cursor, run, version, master)))
                : Optional.empty()));
    }

    /** One step. */
    private final class Scan extends ScriptCall {

        Scan() {
            super(Script.SCAN);
        }

        @Override
        public List<String> keys() {
            return List.of();
        }

        @Override
        public List<String> args() {
            int buckets = Math.min(MOST_BUCKETS, query.pageSize() - found);
            return List.of(cursor, run, arguments.pattern(query.prefix()), String.valueOf(buckets));
        }

        @Override
        public void answered(Response reply) {
            try {
                scanned(reply.get(0).toString(), reply.get(1).toString(), reply.get(2));
            } catch (RuntimeException e) {
                outcome.fail(errors.unreadable(ListedNames.of(query), e));
            }
        }

        @Override
        public void failed(RedisFailure failure) {
            outcome.fail(errors.failure(ListedNames.of(query), failure));
        }
    }
}
