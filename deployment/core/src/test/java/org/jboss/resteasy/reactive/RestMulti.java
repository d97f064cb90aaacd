package org.jboss.resteasy.reactive;

import io.smallrye.mutiny.operators.AbstractMulti;

/** Stands for the class of Quarkus REST, which is not here: locks know only its name. */
public abstract class RestMulti<T> extends AbstractMulti<T> {
}
