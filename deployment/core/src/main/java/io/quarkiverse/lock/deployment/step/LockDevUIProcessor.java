package io.quarkiverse.lock.deployment.step;

import java.util.List;

import io.quarkiverse.lock.deployment.method.LockedMethodBuildItem;
import io.quarkiverse.lock.dev.LocksService;
import io.quarkiverse.lock.dev.RecentLosses;
import io.quarkiverse.lock.dev.Trouble;
import io.quarkus.arc.deployment.AdditionalBeanBuildItem;
import io.quarkus.deployment.IsLocalDevelopment;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.annotations.BuildSteps;
import io.quarkus.devui.spi.JsonRPCProvidersBuildItem;
import io.quarkus.devui.spi.page.CardPageBuildItem;
import io.quarkus.devui.spi.page.Page;

/** Shows the locks in the Dev UI. Its beans are in an artifact that exists in dev mode only. */
@BuildSteps(onlyIf = IsLocalDevelopment.class)
public class LockDevUIProcessor {

    @BuildStep
    CardPageBuildItem card(List<LockedMethodBuildItem> methods) {
        CardPageBuildItem card = new CardPageBuildItem();
        card.addPage(Page.webComponentPageBuilder().title("Locks").icon("font-awesome-solid:lock")
                .tooltip("held / waiting / lost").componentLink("qwc-lock-locks.js")
                .streamingLabelJsonRPCMethodName("streamCounts"));
        card.addPage(Page.webComponentPageBuilder().title("Locked methods").icon("font-awesome-solid:list")
                .componentLink("qwc-lock-methods.js").staticLabel(String.valueOf(methods.size())));
        return card;
    }

    @BuildStep
    JsonRPCProvidersBuildItem service() {
        return new JsonRPCProvidersBuildItem(LocksService.class);
    }

    @BuildStep
    AdditionalBeanBuildItem beans() {
        return AdditionalBeanBuildItem.builder().addBeanClasses(RecentLosses.class, Trouble.class).build();
    }
}
