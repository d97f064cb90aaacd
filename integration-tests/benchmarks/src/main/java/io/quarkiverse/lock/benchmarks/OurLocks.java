package io.quarkiverse.lock.benchmarks;

import java.time.Duration;
import java.util.Collection;
import java.util.List;

import org.apache.curator.framework.CuratorFramework;
import org.jspecify.annotations.Nullable;

import io.micrometer.prometheus.PrometheusConfig;
import io.micrometer.prometheus.PrometheusMeterRegistry;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.quarkiverse.lock.DistributedLock;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.engine.news.Tracing;
import io.quarkiverse.lock.redis.RedisLockBackend;
import io.quarkiverse.lock.redis.quorum.QuorumLockBackend;
import io.quarkiverse.lock.redis.quorum.QuorumOptions;
import io.quarkiverse.lock.redis.quorum.QuorumServers;
import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.quarkiverse.lock.redis.topology.RedisConnections;
import io.quarkiverse.lock.runtime.metrics.Meters;
import io.quarkiverse.lock.runtime.traces.Spans;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockListener;
import io.quarkiverse.lock.zookeeper.ZooKeeperLockBackend;
import io.quarkiverse.lock.zookeeper.options.ZooKeeperLockOptions;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;

/** Engine and backend as in an application, without the application. */
final class OurLocks implements AsyncPeer {

    /** The root of its nodes; the namespace of its rows. */
    static final String ROOT = "bench";

    private static final Duration WAIT = Duration.ofSeconds(60);

    private final LockEngine engine;
    private final LockManager locks;

    OurLocks(String url) {
        this(url, null);
    }

    private OurLocks(String url, @Nullable LockListener listener) {
        this(url, listener, null, Duration.ZERO);
    }

    private OurLocks(String url, @Nullable LockListener listener, @Nullable Tracing tracing, Duration linger) {
        engine = LockEngine.builder(backend(url)).listener(listener).tracing(tracing).start();
        locks = engine.manager(new ManagerDefaults("<default>", WAIT, ManagerDefaults.STANDARD.lease(), true, null,
                ManagerDefaults.STANDARD.onLost(), linger));
        // Connects; and Mutiny's context propagation, which Quarkus would have set up, cannot be set up by two threads at once
        locks.lock("first").acquire().close();
    }

    /** The same, but a lock is kept for its next caller. */
    static OurLocks keeping(String url, Duration linger) {
        return new OurLocks(url, null, null, linger);
    }

    /** The same with the meters of an application that has Micrometer. */
    static OurLocks metered(String url) {
        return new OurLocks(url, meters());
    }

    /** The same, with spans as well: one trace in a hundred is kept. */
    static OurLocks observed(String url) {
        var traces = SdkTracerProvider.builder().setSampler(Sampler.parentBased(Sampler.traceIdRatioBased(0.01)))
                .addSpanProcessor(BatchSpanProcessor.builder(new Unread()).build()).build();
        return new OurLocks(url, meters(), Spans.in(OpenTelemetrySdk.builder().setTracerProvider(traces).build()),
                Duration.ZERO);
    }

    @SuppressWarnings("deprecation") // its successor uses another Prometheus client
    private static LockListener meters() {
        return Meters.in(new PrometheusMeterRegistry(PrometheusConfig.DEFAULT));
    }

    static LockBackend backend(String url) {
        if (PostgresProcess.is(url)) {
            return JpaLocks.backend(url);
        }
        if (QuorumProcess.is(url)) {
            return quorum(QuorumProcess.urls(url));
        }
        return ZooKeeperProcess.is(url) ? zooKeeper(url) : backend(url, RedisLockOptions.STANDARD);
    }

    private static LockBackend quorum(List<String> urls) {
        var standard = RedisLockOptions.STANDARD;
        var options = new QuorumOptions(standard.keyPrefix(), standard.operationTimeout(), standard.retention(),
                ManagerDefaults.STANDARD.lease());
        var members = urls.stream().map(url -> new QuorumServers.Member("quarkus.redis." + url + ".",
                vertx -> Redis.createClient(vertx, new RedisOptions().setConnectionString(url)))).toList();
        return new QuorumLockBackend(QuorumServers.of(options, members), ROOT, "bench");
    }

    private static LockBackend zooKeeper(String url) {
        CuratorFramework client = ZooKeeperProcess.client(url);
        return new ZooKeeperLockBackend(client, ZooKeeperLockOptions.STANDARD.withRoot("/" + ROOT), "bench", client::close);
    }

    static RedisLockBackend backend(String url, RedisLockOptions options) {
        RedisConnections link = RedisConnections.to(options,
                vertx -> Redis.createClient(vertx, new RedisOptions().setConnectionString(url)));
        return new RedisLockBackend(link, ROOT, "bench");
    }

    @Override
    public Mutex mutex(String name) {
        return new Held(locks.lock(name));
    }

    @Override
    public Mutex shared(String name) {
        return new Held(locks.lock(name, LockOptions.DEFAULTS.withMode(LockMode.SHARED)));
    }

    @Override
    public void cycle(String name, Chain chain) {
        locks.lock(name).acquireAsync().subscribe().with(handle -> {
            chain.held();
            handle.release().subscribe().with(ignored -> chain.released(), chain::failed);
        }, chain::failed);
    }

    @Override
    public void close() {
        engine.close();
    }

    /** Receives the spans that are kept, as a collector would. */
    private static final class Unread implements SpanExporter {

        @Override
        public CompletableResultCode export(Collection<SpanData> spans) {
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode flush() {
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode shutdown() {
            return CompletableResultCode.ofSuccess();
        }
    }

    private static final class Held implements Mutex {

        private final DistributedLock lock;
        private @Nullable LockHandle handle;

        Held(DistributedLock lock) {
            this.lock = lock;
        }

        @Override
        public void lock() {
            handle = lock.acquire();
        }

        @Override
        public void unlock() {
            LockHandle held = handle;
            if (held == null) {
                throw new IllegalStateException("Not held");
            }
            handle = null;
            if (!held.isValid()) {
                throw new IllegalStateException("Lost while held");
            }
            held.close();
        }
    }
}
