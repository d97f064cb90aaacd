package io.quarkiverse.lock.deployment.fallback;

import java.lang.constant.ClassDesc;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;

import org.jboss.jandex.MethodInfo;
import org.jboss.jandex.PrimitiveType;
import org.jboss.jandex.Type;
import org.jboss.jandex.gizmo2.Jandex2Gizmo;

import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.runtime.method.Fallback;
import io.quarkus.gizmo2.Const;
import io.quarkus.gizmo2.Expr;
import io.quarkus.gizmo2.Gizmo;
import io.quarkus.gizmo2.LocalVar;
import io.quarkus.gizmo2.ParamVar;
import io.quarkus.gizmo2.creator.BlockCreator;
import io.quarkus.gizmo2.desc.MethodDesc;

/** Compiles the call of a fallback method: a direct call without reflection. */
public final class FallbackCompiler {

    private final MethodInfo locked;
    private final MethodInfo fallback;

    /** @param locked the method that the fallback replaces; it has the same parameters, except for an additional last one */
    public FallbackCompiler(MethodInfo locked, MethodInfo fallback) {
        this.locked = locked;
        this.fallback = fallback;
    }

    public void compile(Gizmo gizmo, String className) {
        gizmo.class_(className, type -> {
            type.final_();
            type.implements_(Fallback.class);
            type.defaultConstructor();
            type.method("call", method -> {
                method.public_();
                method.returning(Object.class);
                ParamVar target = method.parameter("target", Object.class);
                ParamVar arguments = method.parameter("arguments", Object[].class);
                ParamVar busy = method.parameter("busy", LockBusyException.class);
                method.body(body -> call(body, target, arguments, busy));
            });
            type.method("toString", method -> {
                method.public_();
                method.returning(String.class);
                method.body(body -> body.return_(Const.of(fallback.declaringClass().name() + "." + fallback.name())));
            });
        });
    }

    private void call(BlockCreator body, ParamVar target, ParamVar arguments, ParamVar busy) {
        List<Expr> values = new ArrayList<>();
        for (int i = 0; i < locked.parametersCount(); i++) {
            Type type = fallback.parameterType(i);
            LocalVar argument = body.localVar("argument" + i, Object.class, arguments.elem(i));
            values.add(body.localVar("value" + i, Jandex2Gizmo.classDescOf(type), value(body, argument, type)));
        }
        if (fallback.parametersCount() > locked.parametersCount()) {
            values.add(busy);
        }
        MethodDesc called = Jandex2Gizmo.methodDescOf(fallback);
        Expr result;
        if (Modifier.isStatic(fallback.flags())) {
            result = body.invokeStatic(called, values);
        } else {
            ClassDesc owner = Jandex2Gizmo.classDescOf(fallback.declaringClass());
            LocalVar bean = body.localVar("bean", owner, body.cast(target, owner));
            result = fallback.declaringClass().isInterface() ? body.invokeInterface(called, bean, values)
                    : body.invokeVirtual(called, bean, values);
        }
        switch (fallback.returnType().kind()) {
            case VOID -> body.returnNull();
            case PRIMITIVE ->
                body.return_(body.box(body.localVar("result", Jandex2Gizmo.classDescOf(fallback.returnType()), result)));
            default -> body.return_(result);
        }
    }

    private static Expr value(BlockCreator body, LocalVar argument, Type type) {
        if (type.kind() != Type.Kind.PRIMITIVE) {
            return body.cast(argument, Jandex2Gizmo.classDescOf(type));
        }
        ClassDesc box = Jandex2Gizmo.classDescOf(PrimitiveType.box(type.asPrimitiveType()));
        return body.unbox(body.localVar(argument.name() + "Boxed", box, body.cast(argument, box)));
    }

    /** Next to the class that declares the method, so that it may call the method. */
    public String className(int number) {
        return fallback.declaringClass().name().toString() + "_LockFallback_" + fallback.name() + '_' + number;
    }
}
