package org.acme;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

import io.quarkus.hibernate.reactive.panache.PanacheEntityBase;

@Entity
public class Account extends PanacheEntityBase {

    @Id
    public String id;

    public long balance;
}
