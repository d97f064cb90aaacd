package io.quarkiverse.lock.it.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.it.NativeSources;
import io.quarkiverse.lock.it.Order;
import io.quarkiverse.lock.redis.RedisLockBackend;
import io.quarkiverse.lock.redis.runtime.RedisLockBackendProvider;

/**
 * What native-image would be given. Run with the profile {@code native-sources}, which writes it; does not need native-image.
 */
class NativeSourcesCheck {

    @Test
    void containsEveryScript() throws IOException {
        List<Pattern> included = NativeSources.includedResources();
        List<String> scripts = NativeSources.entries(RedisLockBackend.class, ".lua");
        assertThat(scripts).hasSizeGreaterThanOrEqualTo(5)
                .allMatch(script -> included.stream().anyMatch(pattern -> pattern.matcher(script).matches()));
    }

    @Test
    void registersWhatIsReadByReflection() throws IOException {
        List<String> names = NativeSources.reflective();
        assertThat(names).contains(RedisLockBackendProvider.class.getName(), LockInfo.class.getName(),
                "io.quarkiverse.lock.runtime.config.LockRuntimeConfig$$CMImpl",
                "io.quarkiverse.lock.redis.runtime.RedisLockConfig$$CMImpl");
        // Names of locks are compiled: nothing of an argument's class is looked up
        assertThat(names).doesNotContain(Order.class.getName(), Order.Customer.class.getName());
    }

    @Test
    void startsAtRunTimeWhatCannotBeInAnImage() throws Exception {
        String feature = NativeSources.feature();
        assertThat(feature).contains("io.vertx.redis.client.impl.types.BulkType");
        assertThat(NativeSources.entries(LockManager.class, ".class")).hasSizeGreaterThan(100);
        List<String> notInAnImage = new ArrayList<>(NativeSources.notInAnImage(LockManager.class));
        notInAnImage.addAll(NativeSources.notInAnImage(RedisLockBackend.class));
        assertThat(notInAnImage).allSatisfy(name -> assertThat(feature).as("initialised at run time").contains(name));
    }
}
