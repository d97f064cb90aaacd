package io.quarkiverse.lock.redis;

import io.quarkiverse.lock.testkit.server.TinyRedis;

/** How many scripts a server has run. */
final class ScriptCalls {

    private ScriptCalls() {
    }

    static void reset(TinyRedis server) {
        server.command("CONFIG", "RESETSTAT");
    }

    /** Since the last reset. */
    static int count(TinyRedis server) {
        int calls = 0;
        for (String line : server.text("INFO", "commandstats").split("\r\n")) {
            if (line.startsWith("cmdstat_eval:") || line.startsWith("cmdstat_evalsha:")) {
                calls += Integer.parseInt(line.replaceFirst(".*:calls=(\\d+),.*", "$1"));
            }
        }
        return calls;
    }
}
