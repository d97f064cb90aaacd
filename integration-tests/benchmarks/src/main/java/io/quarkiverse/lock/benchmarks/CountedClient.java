package io.quarkiverse.lock.benchmarks;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.apache.zookeeper.AsyncCallback.ChildrenCallback;
import org.apache.zookeeper.AsyncCallback.Create2Callback;
import org.apache.zookeeper.AsyncCallback.DataCallback;
import org.apache.zookeeper.AsyncCallback.StatCallback;
import org.apache.zookeeper.AsyncCallback.VoidCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;

/** A client that counts its requests, except pings. */
final class CountedClient extends ZooKeeper {

    private final LongAdder requests;

    private CountedClient(String servers, int timeout, Watcher watcher, LongAdder requests) throws IOException {
        super(servers, timeout, watcher);
        this.requests = requests;
    }

    static CuratorFramework of(String url, LongAdder requests) {
        CuratorFramework client = CuratorFrameworkFactory.builder().connectString(ZooKeeperProcess.connectString(url))
                .retryPolicy(new ExponentialBackoffRetry(1000, 3))
                .zookeeperFactory(
                        (servers, timeout, watcher, readOnly) -> new CountedClient(servers, timeout, watcher, requests))
                .build();
        client.start();
        return client;
    }

    @Override
    public void create(String path, byte[] data, List<ACL> acl, CreateMode mode, Create2Callback callback, Object context) {
        requests.increment();
        super.create(path, data, acl, mode, callback, context);
    }

    @Override
    public void delete(String path, int version, VoidCallback callback, Object context) {
        requests.increment();
        super.delete(path, version, callback, context);
    }

    @Override
    public void sync(String path, VoidCallback callback, Object context) {
        requests.increment();
        super.sync(path, callback, context);
    }

    @Override
    public void getChildren(String path, Watcher watcher, ChildrenCallback callback, Object context) {
        requests.increment();
        super.getChildren(path, watcher, callback, context);
    }

    @Override
    public void getData(String path, Watcher watcher, DataCallback callback, Object context) {
        requests.increment();
        super.getData(path, watcher, callback, context);
    }

    @Override
    public void exists(String path, Watcher watcher, StatCallback callback, Object context) {
        requests.increment();
        super.exists(path, watcher, callback, context);
    }

    @Override
    public void setData(String path, byte[] data, int version, StatCallback callback, Object context) {
        requests.increment();
        super.setData(path, data, version, callback, context);
    }
}
