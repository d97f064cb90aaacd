package io.quarkiverse.lock.jpa.deployment.entities;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.PostLoad;
import jakarta.persistence.Transient;

/** Has a subclass, so that an unloaded one is a proxy of another class. */
@Entity
public class Vehicle {

    @Id
    public Long id;
    public int wheels;
    @Transient
    public int tyres;

    @PostLoad
    void loaded() {
        tyres = wheels;
    }
}
