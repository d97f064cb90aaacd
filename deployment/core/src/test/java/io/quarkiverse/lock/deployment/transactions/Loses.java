package io.quarkiverse.lock.deployment.transactions;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import jakarta.annotation.Priority;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InterceptorBinding;
import jakarta.interceptor.InvocationContext;

import io.quarkiverse.lock.LockManager;

/** Takes the lock "order" away inside the transaction, while neither the method nor the interceptor around it runs. */
@InterceptorBinding
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
public @interface Loses {

    When value();

    enum When {
        BEFORE_BODY,
        AFTER_BODY
    }

    @Interceptor
    @Loses(When.BEFORE_BODY)
    @Priority(Interceptor.Priority.PLATFORM_BEFORE + 225)
    class BeforeBody {

        @Inject
        LockManager locks;

        @AroundInvoke
        Object around(InvocationContext invocation) throws Exception {
            locks.forceRelease("order");
            return invocation.proceed();
        }
    }

    @Interceptor
    @Loses(When.AFTER_BODY)
    @Priority(Interceptor.Priority.PLATFORM_BEFORE + 225)
    class AfterBody {

        @Inject
        LockManager locks;

        @AroundInvoke
        Object around(InvocationContext invocation) throws Exception {
            Object result = invocation.proceed();
            locks.forceRelease("order");
            return result;
        }
    }
}
