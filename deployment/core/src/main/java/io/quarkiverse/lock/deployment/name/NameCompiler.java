package io.quarkiverse.lock.deployment.name;

import java.lang.constant.ClassDesc;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.jboss.jandex.Type;

import io.quarkiverse.lock.deployment.index.LockDotNames;
import io.quarkiverse.lock.name.ConfiguredName;
import io.quarkiverse.lock.name.LockName;
import io.quarkiverse.lock.name.NameParts;
import io.quarkiverse.lock.name.NameTemplate;
import io.quarkus.gizmo2.Const;
import io.quarkus.gizmo2.Expr;
import io.quarkus.gizmo2.Gizmo;
import io.quarkus.gizmo2.LocalVar;
import io.quarkus.gizmo2.ParamVar;
import io.quarkus.gizmo2.This;
import io.quarkus.gizmo2.creator.BlockCreator;
import io.quarkus.gizmo2.creator.ClassCreator;
import io.quarkus.gizmo2.desc.ClassMethodDesc;
import io.quarkus.gizmo2.desc.FieldDesc;
import io.quarkus.gizmo2.desc.InterfaceMethodDesc;
import io.quarkus.gizmo2.desc.MethodDesc;

/** Compiles a checked template to a {@link LockName}: direct calls of the getters, no reflection. */
public final class NameCompiler {

    private static final MethodDesc TEXT = MethodDesc.of(NameParts.class, "text", String.class, Object.class, String.class,
            String.class);
    private static final MethodDesc STEP = MethodDesc.of(NameParts.class, "step", Object.class, Object.class, String.class,
            String.class);
    private static final MethodDesc ESCAPE = MethodDesc.of(NameParts.class, "escape", String.class, String.class, char.class);
    private static final MethodDesc CONFIGURED = MethodDesc.of(ConfiguredName.class, "text", String.class, int.class);
    private static final MethodDesc CONCAT = MethodDesc.of(String.class, "concat", String.class, String.class);

    /** By name, since not every application has entities. */
    private static final ClassDesc HIBERNATE = ClassDesc.of(LockDotNames.HIBERNATE.toString());
    private static final MethodDesc INITIALIZE = ClassMethodDesc.of(HIBERNATE, "initialize", void.class, Object.class);
    private static final MethodDesc UNPROXY = ClassMethodDesc.of(HIBERNATE, "unproxy", Object.class, Object.class);

    private final NameTemplate template;
    private final Map<NameTemplate.Part, PartPath> paths;
    private final List<String> parameters;
    private final String description;
    private final List<String> expressions = new ArrayList<>();

    /**
     * @param parameters the names of the method's parameters
     * @param description {@code Class.method}, for messages
     */
    public NameCompiler(CheckedTemplate checked, List<String> parameters, String description) {
        template = checked.template();
        paths = checked.paths();
        this.parameters = parameters;
        this.description = description;
        for (NameTemplate.Piece piece : template.pieces()) {
            if (piece instanceof NameTemplate.Expression expression) {
                expressions.add(expression.expression());
            }
        }
    }

    public void compile(Gizmo gizmo, String className) {
        gizmo.class_(className, type -> {
            type.final_();
            if (expressions.isEmpty()) {
                type.implements_(LockName.class);
            } else {
                type.extends_(ConfiguredName.class);
                declare(type, "expressions", expressions);
                declare(type, "parameters", parameters);
            }
            type.defaultConstructor();
            type.method("of", method -> {
                method.public_();
                method.returning(String.class);
                ParamVar arguments = method.parameter("arguments", Object[].class);
                method.body(body -> body.return_(name(body, type.this_(), arguments)));
            });
        });
    }

    private static void declare(ClassCreator type, String name, List<String> texts) {
        type.method(name, method -> {
            method.protected_();
            method.returning(String[].class);
            method.body(body -> body.return_(body.newArray(String.class, texts, Const::of)));
        });
    }

    private Expr name(BlockCreator body, This self, ParamVar arguments) {
        LocalVar name = null;
        int expression = 0;
        for (int i = 0; i < template.pieces().size(); i++) {
            NameTemplate.Piece piece = template.pieces().get(i);
            Expr next;
            if (piece instanceof NameTemplate.Text text) {
                next = Const.of(text.text());
            } else if (piece instanceof NameTemplate.Expression) {
                next = body.invokeVirtual(CONFIGURED, self, Const.of(expression++));
            } else {
                next = part(body, arguments, paths.get(piece));
                Character delimiter = template.delimiter(i);
                if (delimiter != null) {
                    LocalVar plain = body.localVar("plain" + i, String.class, next);
                    next = body.localVar("part" + i, String.class, body.invokeStatic(ESCAPE, plain, Const.of(delimiter)));
                }
            }
            Expr text = next;
            name = name == null ? body.localVar("name" + i, String.class, text)
                    : body.localVar("name" + i, String.class, body.invokeVirtual(CONCAT, name, text));
        }
        return name;
    }

    private Expr part(BlockCreator body, ParamVar arguments, PartPath path) {
        String id = "p" + path.hashCode() + "_";
        LocalVar value = body.localVar(id + "0", Object.class, arguments.elem(path.parameter()));
        int number = 1;
        for (PartPath.Step step : path.steps()) {
            LocalVar present = body.localVar(id + number++, Object.class,
                    body.invokeStatic(STEP, value, Const.of(description), Const.of(step.path())));
            LocalVar owner = body.localVar(id + number++, step.owner(), body.cast(present, step.owner()));
            value = body.localVar(id + number++, Object.class, boxed(body, read(body, owner, step), step.property().type()));
        }
        return body.invokeStatic(TEXT, value, Const.of(description), Const.of(path.source()));
    }

    private static Expr read(BlockCreator body, LocalVar owner, PartPath.Step step) {
        Properties.Property property = step.property();
        ClassDesc raw = property.raw();
        if (property.accessor() != null) {
            return loaded(body, owner, step, property.accessor());
        }
        if (property.field()) {
            return body.get((property.loadedFirst() ? itself(body, owner, step) : owner)
                    .field(FieldDesc.of(step.owner(), property.member(), raw)));
        }
        return step.ownerIsInterface()
                ? body.invokeInterface(InterfaceMethodDesc.of(step.owner(), property.member(), raw, List.<ClassDesc> of()),
                        owner)
                : body.invokeVirtual(ClassMethodDesc.of(step.owner(), property.member(), raw, List.<ClassDesc> of()), owner);
    }

    /** Calls the method that Hibernate has added. Classes that are annotated but not entities do not have it. */
    private static Expr loaded(BlockCreator body, LocalVar owner, PartPath.Step step, String accessor) {
        ClassDesc raw = step.property().raw();
        LocalVar value = body.localVar("loaded" + Math.abs(step.hashCode()), raw, Const.ofDefault(raw));
        body.try_(reading -> {
            reading.body(
                    block -> block.set(value,
                            block.invokeVirtual(ClassMethodDesc.of(step.owner(), accessor, raw, List.of()), owner)));
            reading.catch_(NoSuchMethodError.class, "absent",
                    (block, absent) -> block.set(value,
                            owner.field(FieldDesc.of(step.owner(), step.property().member(), raw))));
        });
        return value;
    }

    /** The loaded entity itself, not a proxy for it. */
    private static LocalVar itself(BlockCreator body, LocalVar owner, PartPath.Step step) {
        body.invokeStatic(INITIALIZE, owner);
        return body.localVar("itself" + Math.abs(step.hashCode()), step.owner(),
                body.cast(body.invokeStatic(UNPROXY, owner), step.owner()));
    }

    private static Expr boxed(BlockCreator body, Expr value, Type type) {
        return type.kind() == Type.Kind.PRIMITIVE ? body.box(value) : value;
    }

    /** Next to the declaring class, so that it may use what is visible there. */
    public static String className(String declaringClass, String method, int number) {
        return declaringClass + "_LockName_" + method + '_' + number;
    }

}
