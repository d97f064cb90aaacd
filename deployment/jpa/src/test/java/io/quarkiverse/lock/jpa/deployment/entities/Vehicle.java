package io.quarkiverse.lock.jpa.deployment.entities;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** Has a subclass, so that an unloaded one is a proxy of another class. */
@Entity
public class Vehicle {

    @Id
    public Long id;
    public int wheels;
}
