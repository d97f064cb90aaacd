package io.quarkiverse.lock.deployment.beans;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.function.Consumer;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.interceptor.InterceptorBinding;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationTransformation;
import org.jboss.jandex.AnnotationValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.HeldLock;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkus.arc.Arc;
import io.quarkus.arc.NoClassInterceptors;
import io.quarkus.arc.deployment.AnnotationsTransformerBuildItem;
import io.quarkus.builder.BuildChainBuilder;
import io.quarkus.builder.BuildContext;
import io.quarkus.builder.BuildStep;
import io.quarkus.test.QuarkusUnitTest;

/** Annotations that a build step adds are in no class file, but count the same. */
class AddedAnnotationsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Parent.class, Child.class, Middle.class, Grandchild.class,
                    Method.class, Exempted.class, Bound.class, Same.class, Additions.class))
            .addBuildChainCustomizer(new Additions())
            .overrideConfigKey("quarkus.lock.backend", "local");

    @Inject
    Child child;

    @Inject
    Grandchild grandchild;

    @Inject
    Method method;

    @Inject
    Exempted exempted;

    @Test
    void fault176_addedAnnotationsCountWhereTheyAreAdded() {
        assertThat(child.pay()).isEqualTo("bound");
        assertThat(grandchild.pay()).isEqualTo("middle");
        assertThat(method.pay()).isEqualTo("method");
    }

    @Test
    void fault577_addedExemptionIsHeeded() {
        assertThat(exempted.pay()).isEqualTo("exempted");
        assertThat(exempted.look()).isEqualTo("nothing");
    }

    static String held() {
        return Arc.container().instance(LockManager.class).get().held().stream().map(HeldLock::name).findFirst()
                .orElse("nothing");
    }

    @Locked("parent")
    public static class Parent {

        String pay() {
            return held();
        }
    }

    /** {@code @Bound} is added. */
    @ApplicationScoped
    public static class Child extends Parent {
    }

    /** {@code @Locked("middle")} is added. */
    public static class Middle extends Parent {
    }

    @ApplicationScoped
    public static class Grandchild extends Middle {
    }

    /** {@code @Locked("method")} and {@code @Same} are added to its method. */
    @ApplicationScoped
    public static class Method extends Parent {

        @Override
        String pay() {
            return super.pay();
        }
    }

    /** {@code @NoClassInterceptors} is added to one of its methods. */
    @Locked("exempted")
    @ApplicationScoped
    public static class Exempted {

        String pay() {
            return held();
        }

        String look() {
            return held();
        }
    }

    @Locked("bound")
    @Inherited
    @InterceptorBinding
    @Target(ElementType.TYPE)
    @Retention(RetentionPolicy.RUNTIME)
    public @interface Bound {
    }

    @Locked("method")
    @InterceptorBinding
    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    public @interface Same {
    }

    /** Also in the application's archive, where it does nothing and must not need classes of the build. */
    public static class Additions implements Consumer<BuildChainBuilder> {

        @Override
        public void accept(BuildChainBuilder chain) {
            chain.addBuildStep(new BuildStep() {
                @Override
                public void execute(BuildContext context) {
                    context.produce(new AnnotationsTransformerBuildItem(AnnotationTransformation.forClasses()
                            .whenClass(Child.class).transform(each -> each.add(Bound.class))));
                    context.produce(new AnnotationsTransformerBuildItem(AnnotationTransformation.forClasses()
                            .whenClass(Middle.class).transform(each -> each.add(locked("middle")))));
                    context.produce(new AnnotationsTransformerBuildItem(AnnotationTransformation.forMethods()
                            .whenMethod(Method.class, "pay")
                            .transform(each -> each.addAll(locked("method"), AnnotationInstance.builder(Same.class).build()))));
                    context.produce(new AnnotationsTransformerBuildItem(AnnotationTransformation.forMethods()
                            .whenMethod(Exempted.class, "look").transform(each -> each.add(NoClassInterceptors.class))));
                }

                private AnnotationInstance locked(String name) {
                    AnnotationValue text = AnnotationValue.createStringValue("", name);
                    return AnnotationInstance.builder(Locked.class)
                            .add(AnnotationValue.createArrayValue("value", new AnnotationValue[] { text })).build();
                }
            }).produces(AnnotationsTransformerBuildItem.class).build();
        }
    }
}
