-- Version 1: the tables of Quarkus Lock, format 1. Oracle is experimental: nothing was ever run on one.
CREATE TABLE quarkus_lock (
    id VARCHAR2(64) NOT NULL,
    name VARCHAR2(255) NOT NULL,
    format NUMBER(10) NOT NULL,
    fence NUMBER(19) NOT NULL,
    ticket NUMBER(19) NOT NULL,
    token VARCHAR2(32),
    owner VARCHAR2(255),
    since NUMBER(19) NOT NULL,
    expires NUMBER(19) NOT NULL,
    shared_until NUMBER(19) NOT NULL,
    queue_until NUMBER(19) NOT NULL,
    asked NUMBER(19),
    PRIMARY KEY (id)
);
CREATE TABLE quarkus_lock_claim (
    id VARCHAR2(64) NOT NULL,
    token VARCHAR2(32) NOT NULL,
    kind VARCHAR2(1) NOT NULL,
    lock_mode VARCHAR2(1) NOT NULL,
    lim NUMBER(10) NOT NULL,
    ticket NUMBER(19) NOT NULL,
    owner VARCHAR2(255),
    since NUMBER(19) NOT NULL,
    expires NUMBER(19) NOT NULL,
    fence NUMBER(19) NOT NULL,
    asked NUMBER(19),
    note VARCHAR2(2000),
    PRIMARY KEY (id, token)
);
