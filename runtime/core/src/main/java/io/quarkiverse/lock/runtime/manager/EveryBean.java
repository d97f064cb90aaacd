package io.quarkiverse.lock.runtime.manager;

import java.util.ArrayList;
import java.util.List;

import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.spi.Bean;

import io.quarkus.arc.Arc;
import io.quarkus.arc.ArcContainer;
import io.quarkus.arc.InjectableBean;

/** Finds the beans of a type, whatever their qualifiers. {@code Instance} hides all others if one of them is an alternative. */
final class EveryBean {

    private EveryBean() {
    }

    /** The highest priority comes first, and default beans last. */
    static <T> List<T> of(Class<T> type) {
        ArcContainer container = Arc.container();
        List<InjectableBean<?>> beans = new ArrayList<>();
        for (Bean<?> each : container.beanManager().getBeans(type, Any.Literal.INSTANCE)) {
            if (each instanceof InjectableBean<?> bean && !bean.isSuppressed()) {
                beans.add(bean);
            }
        }
        if (beans.size() > 1) { // this is part of every start, and the lambda creates a class
            beans.sort((one, other) -> one.isDefaultBean() == other.isDefaultBean()
                    ? Integer.compare(other.getPriority(), one.getPriority())
                    : Boolean.compare(one.isDefaultBean(), other.isDefaultBean()));
        }
        List<T> instances = new ArrayList<>(beans.size());
        for (InjectableBean<?> bean : beans) {
            instances.add(type.cast(container.instance(bean).get()));
        }
        return instances;
    }
}
