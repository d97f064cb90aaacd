package io.quarkiverse.lock.benchmarks;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;

/**
 * Many Redisson clients in one JVM, as if each were in a JVM of its own. They share their threads and have one connection each
 * for commands and messages, as a thousand times the standard number would not fit; they send the same requests.
 */
final class RedissonJvms implements AutoCloseable {

    private final ExecutorService threads = Executors.newFixedThreadPool(8);
    private final EventLoopGroup loops = new NioEventLoopGroup(4);

    RedissonClient client(String url) {
        var config = new Config();
        config.setExecutor(threads).setNettyExecutor(threads).setEventLoopGroup(loops);
        config.useSingleServer().setAddress(url).setConnectionMinimumIdleSize(1).setConnectionPoolSize(1)
                .setSubscriptionConnectionMinimumIdleSize(1).setSubscriptionConnectionPoolSize(1);
        return Redisson.create(config);
    }

    @Override
    public void close() {
        loops.shutdownGracefully();
        threads.shutdown();
    }
}
