package io.quarkiverse.lock.sale;

/** The same with the locks in an H2 database that one node runs and opens to the other. */
class TwoNodesOnH2IT extends TwoNodesIT {

    @Override
    Backend backend() {
        return Backend.H2;
    }
}
