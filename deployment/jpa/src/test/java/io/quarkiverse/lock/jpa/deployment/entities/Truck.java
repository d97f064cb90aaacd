package io.quarkiverse.lock.jpa.deployment.entities;

import jakarta.persistence.Entity;

@Entity
public class Truck extends Vehicle {

    public int axles;
}
