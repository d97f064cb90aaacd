package io.quarkiverse.lock.runtime.management;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/** Locks as JSON, for programs. */
final class LockJson {

    private LockJson() {
    }

    static JsonObject page(Managers managers, String manager, LockQuery.Page page) {
        JsonArray locks = new JsonArray();
        page.locks().forEach(lock -> locks.add(lock(lock, managers.waitingHere(manager, lock.name()))));
        JsonObject json = new JsonObject().put("manager", manager).put("managers", new JsonArray(managers.names()));
        if (managers.switchedOff()) {
            json.put("switchedOff", true);
        }
        json.put("locks", locks);
        page.next().ifPresent(next -> json.put("continuation", next.continuation()));
        return json;
    }

    static JsonObject lock(LockInfo lock, int waitingHere) {
        JsonArray holders = new JsonArray();
        lock.holders().forEach(holder -> holders.add(holder(holder)));
        JsonArray waiting = new JsonArray();
        lock.waiting().forEach(waiter -> waiting.add(waiter(waiter)));
        return new JsonObject()
                .put("name", lock.name())
                .put("holders", holders)
                .put("waiters", lock.waiters())
                .put("waiting", waiting)
                .put("waitingHere", waitingHere);
    }

    private static JsonObject holder(LockInfo.Holder holder) {
        JsonObject json = new JsonObject()
                .put("owner", holder.owner())
                // a string: many programs cannot read a number of this size exactly
                .put("fencingToken", Long.toString(holder.fencingToken()))
                .put("mode", HoldSettings.modeText(holder.mode(), holder.limit()));
        limit(json, holder.limit());
        return json.put("heldForMillis", holder.heldFor().toMillis()).put("remainingMillis", holder.remaining().toMillis());
    }

    private static JsonObject waiter(LockInfo.Waiter waiter) {
        JsonObject json = new JsonObject()
                .put("owner", waiter.owner())
                .put("mode", HoldSettings.modeText(waiter.mode(), waiter.limit()));
        limit(json, waiter.limit());
        return json.put("waitingForMillis", waiter.waitingFor().toMillis());
    }

    private static void limit(JsonObject json, int limit) {
        if (limit > 0) {
            json.put("limit", limit);
        }
    }
}
