package io.quarkus.mongodb.panache.common.reactive;

/** Stands for the reactive update query of MongoDB with Panache, which is not here: locks know only its name. */
public interface ReactivePanacheUpdate {
}
