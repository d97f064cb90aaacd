package io.quarkiverse.lock.testkit.contract;

import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Gives a group the subject of its enclosing class. */
final class EnclosingSubject implements BeforeEachCallback {

    @Override
    public void beforeEach(ExtensionContext context) {
        ContractTest group = (ContractTest) context.getRequiredTestInstance();
        group.runOn(context.getRequiredTestInstances().findInstance(ContractSubject.class).orElseThrow(
                () -> new IllegalStateException(context.getRequiredTestClass().getName() + " has to be nested in a class that"
                        + " implements " + ContractSubject.class.getName())));
    }
}
