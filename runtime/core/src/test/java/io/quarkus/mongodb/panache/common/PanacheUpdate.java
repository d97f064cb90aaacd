package io.quarkus.mongodb.panache.common;

/** Stands for the update query of MongoDB with Panache, which is not here: locks know only its name. */
public interface PanacheUpdate {
}
