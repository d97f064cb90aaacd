package io.quarkus.reactive.transaction;

/** As in a later Quarkus: shows that {@code @Transactional} may mean a transaction of Hibernate Reactive. */
public abstract class TransactionalInterceptorBase {
}
