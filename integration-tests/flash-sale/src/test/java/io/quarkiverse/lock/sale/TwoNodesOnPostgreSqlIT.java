package io.quarkiverse.lock.sale;

import io.quarkiverse.lock.testkit.FullBuild;

/** The same with the locks in PostgreSQL. */
@FullBuild
class TwoNodesOnPostgreSqlIT extends TwoNodesIT {

    @Override
    Backend backend() {
        return Backend.POSTGRESQL;
    }
}
