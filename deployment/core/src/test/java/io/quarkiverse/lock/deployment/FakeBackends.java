package io.quarkiverse.lock.deployment;

import java.util.Set;
import java.util.function.Consumer;

import io.quarkiverse.lock.spi.Feature;
import io.quarkus.builder.BuildChainBuilder;
import io.quarkus.builder.BuildContext;
import io.quarkus.builder.BuildStep;

/**
 * Offers backends to the build of a test's application, as their extensions would. Belongs in the application's archive too,
 * where it does nothing and must not need classes of the build: hence no lambda.
 */
public final class FakeBackends implements Consumer<BuildChainBuilder> {

    private final String provider;
    private final Set<Feature> features;
    private final String[] names;

    private FakeBackends(Class<?> provider, Set<Feature> features, String... names) {
        this.provider = provider.getName();
        this.features = features;
        this.names = names;
    }

    /** Backends that support everything, made by the provider class. */
    public static FakeBackends offer(Class<?> provider, String... names) {
        return new FakeBackends(provider, Set.of(Feature.values()), names);
    }

    /** A backend that supports only this. */
    public static FakeBackends offerWith(Class<?> provider, String name, Feature... features) {
        return new FakeBackends(provider, Set.of(features), name);
    }

    @Override
    public void accept(BuildChainBuilder chain) {
        chain.addBuildStep(new BuildStep() {
            @Override
            public void execute(BuildContext context) {
                for (String name : names) {
                    context.produce(new LockBackendBuildItem(name, 10, features, provider));
                }
            }
        }).produces(LockBackendBuildItem.class).build();
    }
}
