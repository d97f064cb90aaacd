package io.quarkus.reactive.transaction;

/** As in a later Quarkus: tells that {@code @Transactional} may be a transaction of Hibernate Reactive. */
public abstract class TransactionalInterceptorBase {
}
