package io.quarkiverse.lock.zookeeper.deployment;

import java.util.Map;
import java.util.Optional;

import jakarta.enterprise.inject.AmbiguousResolutionException;
import jakarta.enterprise.inject.Default;
import jakarta.enterprise.inject.spi.DeploymentException;

import org.apache.curator.framework.CuratorFramework;
import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationValue;
import org.jboss.jandex.ClassType;
import org.jboss.jandex.DotName;
import org.jboss.jandex.Type;

import io.quarkiverse.lock.deployment.LockManagersBuildItem;
import io.quarkiverse.lock.zookeeper.runtime.ZooKeeperClientProducer;
import io.quarkiverse.lock.zookeeper.runtime.ZooKeeperLockBuildConfig;
import io.quarkus.arc.deployment.AdditionalBeanBuildItem;
import io.quarkus.arc.deployment.BeanDiscoveryFinishedBuildItem;
import io.quarkus.arc.deployment.UnremovableBeanBuildItem;
import io.quarkus.arc.deployment.ValidationPhaseBuildItem;
import io.quarkus.arc.deployment.ValidationPhaseBuildItem.ValidationErrorBuildItem;
import io.quarkus.arc.processor.BeanResolver;
import io.quarkus.bootstrap.classloading.QuarkusClassLoader;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.smallrye.common.annotation.Identifier;

/** Finds the {@link CuratorFramework} bean that locks use, or offers one. */
class ClientBeanProcessor {

    private static final Type CLIENT = ClassType.create(CuratorFramework.class);
    private static final DotName IDENTIFIER = DotName.createSimple(Identifier.class);
    /** The beans that use an extension that the application may have, by a class of that extension. */
    private static final Map<String, String> OTHERS = Map.of(
            "io.quarkus.tls.runtime.CertificateRecorder", "io.quarkiverse.lock.zookeeper.runtime.RegistryTls",
            "io.quarkus.credentials.CredentialsProvider", "io.quarkiverse.lock.zookeeper.runtime.QuarkusCredentials");
    private static final String CLIENT_NAME = "quarkus.lock.zookeeper.client-name";

    @BuildStep
    void offer(LockManagersBuildItem managers, BuildProducer<AdditionalBeanBuildItem> beans,
            BuildProducer<UnremovableBeanBuildItem> unremovable) {
        if (managers.uses(ZooKeeperLockProcessor.BACKEND)) {
            beans.produce(AdditionalBeanBuildItem.unremovableOf(ZooKeeperClientProducer.class));
            unremovable.produce(UnremovableBeanBuildItem.beanTypes(CuratorFramework.class));
            // Their classes need those of the other extension
            OTHERS.forEach((extension, bean) -> {
                if (QuarkusClassLoader.isClassPresentAtRuntime(extension)) {
                    beans.produce(AdditionalBeanBuildItem.unremovableOf(bean));
                }
            });
        }
    }

    @BuildStep
    OwnClientBuildItem find(BeanDiscoveryFinishedBuildItem beans, ZooKeeperLockBuildConfig config) {
        AnnotationInstance qualifier = qualifier(config);
        return new OwnClientBuildItem(beans.beanStream().stream().anyMatch(bean -> bean.hasType(CLIENT.name())
                && !bean.isDefaultBean() && bean.getQualifiers().stream().anyMatch(qualifier::equivalentTo)));
    }

    @BuildStep
    void check(ValidationPhaseBuildItem validation, LockManagersBuildItem managers, ZooKeeperLockBuildConfig config,
            BuildProducer<ValidationErrorBuildItem> errors) {
        if (managers.uses(ZooKeeperLockProcessor.BACKEND)) {
            problem(validation.getBeanResolver(), config)
                    .ifPresent(problem -> errors.produce(new ValidationErrorBuildItem(new DeploymentException(problem))));
        }
    }

    private static Optional<String> problem(BeanResolver beans, ZooKeeperLockBuildConfig config) {
        var found = beans.resolveBeans(CLIENT, qualifier(config));
        if (found.isEmpty()) {
            return Optional.of(CLIENT_NAME + "=" + config.clientName().orElse("") + ", but the application has no "
                    + "CuratorFramework bean with that @Identifier");
        }
        try {
            beans.resolveAmbiguity(found);
            return Optional.empty();
        } catch (AmbiguousResolutionException e) {
            return Optional.of("The application has several CuratorFramework beans: " + found
                    + "; give one an @Identifier and choose it with " + CLIENT_NAME);
        }
    }

    private static AnnotationInstance qualifier(ZooKeeperLockBuildConfig config) {
        return config.clientName()
                .map(name -> AnnotationInstance.create(IDENTIFIER, null,
                        new AnnotationValue[] { AnnotationValue.createStringValue("value", name) }))
                .orElseGet(() -> AnnotationInstance.builder(Default.class).build());
    }
}
