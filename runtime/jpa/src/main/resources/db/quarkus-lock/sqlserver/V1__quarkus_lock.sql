-- Version 1: the tables of Quarkus Lock, format 1. SQL Server is experimental: nothing was ever run on one.
IF OBJECT_ID('quarkus_lock') IS NULL CREATE TABLE quarkus_lock (
    id VARCHAR(64) COLLATE Latin1_General_BIN2 NOT NULL,
    name VARCHAR(255) NOT NULL,
    format INTEGER NOT NULL,
    fence BIGINT NOT NULL,
    ticket BIGINT NOT NULL,
    token VARCHAR(32) COLLATE Latin1_General_BIN2,
    owner VARCHAR(255),
    since BIGINT NOT NULL,
    expires BIGINT NOT NULL,
    shared_until BIGINT NOT NULL,
    queue_until BIGINT NOT NULL,
    asked BIGINT,
    PRIMARY KEY (id)
);
IF OBJECT_ID('quarkus_lock_claim') IS NULL CREATE TABLE quarkus_lock_claim (
    id VARCHAR(64) COLLATE Latin1_General_BIN2 NOT NULL,
    token VARCHAR(32) COLLATE Latin1_General_BIN2 NOT NULL,
    kind VARCHAR(1) COLLATE Latin1_General_BIN2 NOT NULL,
    lock_mode VARCHAR(1) COLLATE Latin1_General_BIN2 NOT NULL,
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
