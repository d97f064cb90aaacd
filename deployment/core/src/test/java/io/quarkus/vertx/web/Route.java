package io.quarkus.vertx.web;

import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** What calls a method for HTTP requests, for applications of tests. */
@Repeatable(Route.Routes.class)
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Route {

    String path() default "";

    HandlerType type() default HandlerType.NORMAL;

    enum HandlerType {
        NORMAL,
        BLOCKING,
        FAILURE
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.METHOD)
    @interface Routes {

        Route[] value();
    }
}
