package io.quarkiverse.lock.runtime.traces;

import io.opentelemetry.api.common.AttributeKey;

/** The attributes of spans, which the guide lists. */
final class LockAttributes {

    static final AttributeKey<String> TEMPLATE = AttributeKey.stringKey("quarkus.lock.template");
    static final AttributeKey<String> MANAGER = AttributeKey.stringKey("quarkus.lock.manager");
    static final AttributeKey<String> BACKEND = AttributeKey.stringKey("quarkus.lock.backend");
    static final AttributeKey<String> MODE = AttributeKey.stringKey("quarkus.lock.mode");
    static final AttributeKey<String> NAME = AttributeKey.stringKey("quarkus.lock.name");
    static final AttributeKey<String> OUTCOME = AttributeKey.stringKey("quarkus.lock.outcome");
    static final AttributeKey<Long> TOKEN = AttributeKey.longKey("quarkus.lock.token");
    static final AttributeKey<String> HELD_BY = AttributeKey.stringKey("quarkus.lock.held.by");
    static final AttributeKey<String> REASON = AttributeKey.stringKey("quarkus.lock.reason");

    private LockAttributes() {
    }
}
