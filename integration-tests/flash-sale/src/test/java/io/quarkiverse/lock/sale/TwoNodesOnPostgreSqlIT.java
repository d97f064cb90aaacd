package io.quarkiverse.lock.sale;

/** The same with the locks in PostgreSQL. */
class TwoNodesOnPostgreSqlIT extends TwoNodesIT {

    @Override
    Backend backend() {
        return Backend.POSTGRESQL;
    }
}
