-- Version 1: the tables of Quarkus Lock, format 1. Db2 is experimental: nothing was ever run on one.
CREATE TABLE quarkus_lock (
    id VARCHAR(64) NOT NULL,
    name VARCHAR(255) NOT NULL,
    format INTEGER NOT NULL,
    fence BIGINT NOT NULL,
    ticket BIGINT NOT NULL,
    token VARCHAR(32),
    owner VARCHAR(255),
    since BIGINT NOT NULL,
    expires BIGINT NOT NULL,
    shared_until BIGINT NOT NULL,
    queue_until BIGINT NOT NULL,
    asked BIGINT,
    PRIMARY KEY (id)
);
CREATE TABLE quarkus_lock_claim (
    id VARCHAR(64) NOT NULL,
    token VARCHAR(32) NOT NULL,
    kind VARCHAR(1) NOT NULL,
    lock_mode VARCHAR(1) NOT NULL,
    lim INTEGER NOT NULL,
    ticket BIGINT NOT NULL,
    owner VARCHAR(255),
    since BIGINT NOT NULL,
    expires BIGINT NOT NULL,
    fence BIGINT NOT NULL,
    asked BIGINT,
    note VARCHAR(2000),
    PRIMARY KEY (id, token)
);
