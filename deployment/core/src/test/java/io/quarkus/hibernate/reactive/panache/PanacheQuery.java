package io.quarkus.hibernate.reactive.panache;

/** Stands for the query of Hibernate Reactive with Panache, which is not here: locks know only its name. */
public interface PanacheQuery<Entity> {
}
