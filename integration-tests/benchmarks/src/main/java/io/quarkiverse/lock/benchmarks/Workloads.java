package io.quarkiverse.lock.benchmarks;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/** All workloads by name. */
final class Workloads {

    private Workloads() {
    }

    static Map<String, Function<Setup, Workload>> all() {
        var all = new LinkedHashMap<String, Function<Setup, Workload>>();
        all.put("distinct-32-threads", Threads::distinct);
        all.put("distinct-1-thread", Threads::single);
        all.put("metered-32-threads", Threads::metered);
        all.put("async-512", InFlight::new);
        all.put("one-name-jvms-hold-0", Jvms::noHold);
        all.put("one-name-jvms-hold-2ms", Jvms::holding);
        all.put("one-name-8-threads", setup -> Threads.handedOn(setup, Crew.PLATFORM));
        if (VirtualThreads.available()) {
            all.put("one-name-8-virtual-threads", setup -> Threads.handedOn(setup, VirtualThreads.starter()));
        }
        all.put("shared-32-threads", Readers::new);
        all.put("shared-jvms-and-a-writer", WriterAmongReaders::new);
        all.put("waiters-500", Waiters::new);
        all.put("waiting-jvms", WaitingClaims::new);
        all.put("waiting-jvms-handing-on", HandingOn::new);
        all.put("reading-jvms", ReadingJvms::new);
        all.put("idle", IdleApplication::onRedis);
        all.put("renewal", Renewing::new);
        all.put("many-names", ManyNames::new);
        all.put("linger", setup -> new KeptLocks(setup, 50));
        all.put("linger-elsewhere", KeptElsewhere::new);
        all.put("quorum-distinct-32-threads", Threads::distinctInQuorum);
        all.put("quorum-distinct-1-thread", Threads::singleInQuorum);
        all.put("quorum-one-name-jvms-hold-2ms", Jvms::quorum);
        all.put("zookeeper-distinct-32-threads", Threads::distinctOnZooKeeper);
        all.put("zookeeper-one-name-jvms-hold-0", setup -> Jvms.zooKeeper(setup, Duration.ZERO));
        all.put("zookeeper-one-name-jvms-hold-2ms", setup -> Jvms.zooKeeper(setup, Duration.ofMillis(2)));
        all.put("zookeeper-one-name-8-threads", Threads::handedOnOnZooKeeper);
        all.put("zookeeper-fresh-names", FreshNames::new);
        all.put("zookeeper-waiting-1000", WaitingNames::new);
        all.put("zookeeper-waiting-jvms-limit-5", WaitingForRoom::new);
        all.put("zookeeper-reading-jvms", ReadingJvms::new);
        all.put("zookeeper-idle", IdleApplication::onZooKeeper);
        all.put("zookeeper-linger", setup -> new KeptLocks(setup, 100));
        all.put("zookeeper-linger-elsewhere", KeptElsewhere::new);
        all.put("postgresql-distinct-8-threads", Threads::distinctOnPostgres);
        all.put("postgresql-one-name-jvms-hold-2ms", Jvms::postgres);
        all.put("postgresql-transactions-one-name-jvms-hold-2ms", Jvms::postgresTransactions);
        all.put("postgresql-one-name-8-threads", Threads::handedOnOnPostgres);
        all.put("postgresql-pool-of-2", SmallPool::new);
        all.put("postgresql-renewal", RenewingRows::new);
        all.put("postgresql-waiting-jvms", WaitingJvms::onPostgres);
        all.put("mariadb-waiting-jvms", WaitingJvms::onMariaDb);
        all.put("postgresql-reading-jvms", ReadingJvms::new);
        all.put("postgresql-idle", IdleApplication::onPostgres);
        all.put("postgresql-linger", setup -> new KeptLocks(setup, 50));
        all.put("postgresql-linger-elsewhere", KeptElsewhere::new);
        return all;
    }
}
