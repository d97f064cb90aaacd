package io.quarkiverse.lock.it.nobackend;

import jakarta.inject.Inject;

import org.jboss.logging.Logger;

import io.quarkus.runtime.QuarkusApplication;
import io.quarkus.runtime.annotations.QuarkusMain;

@QuarkusMain
public class GreetingMain implements QuarkusApplication {

    private static final Logger LOG = Logger.getLogger(GreetingMain.class);

    @Inject
    Greeter greeter;

    @Override
    public int run(String... args) {
        LOG.info(greeter.greet("world"));
        return 0;
    }
}
