package io.quarkiverse.lock.sale;

import io.quarkiverse.lock.testkit.FullBuild;

/** The same with the locks in an H2 database that one node runs and opens to the other. */
@FullBuild
class TwoNodesOnH2IT extends TwoNodesIT {

    @Override
    Backend backend() {
        return Backend.H2;
    }
}
