package io.quarkiverse.lock.engine.acquire;

import java.time.Duration;
import java.util.concurrent.CompletionException;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockInterruptedException;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.engine.news.ErrorMessages;
import io.quarkiverse.lock.engine.state.Patience;
import io.quarkiverse.lock.spi.LockBackend;
import io.smallrye.mutiny.TimeoutException;
import io.smallrye.mutiny.Uni;

/** Waits for the backend's answers, and fails as the API specifies. */
public final class BlockingAnswers {

    private final LockBackend backend;
    private final ErrorMessages errors;

    public BlockingAnswers(LockBackend backend, ErrorMessages errors) {
        this.backend = backend;
        this.errors = errors;
    }

    /**
     * @throws LockInterruptedException if the thread is interrupted; its flag is set
     * @throws LockLostException if the answer says so
     * @throws LockBackendException if the backend does not answer in time
     */
    public <T> T await(Uni<T> answer, String name) {
        Duration atMost = Patience.with(backend);
        try {
            return answer.await().atMost(atMost);
        } catch (TimeoutException e) {
            throw errors.silent(name, atMost);
        } catch (LockLostException e) {
            throw new LockLostException(name, e.getMessage(), e); // with the caller's stack trace
        } catch (CompletionException e) {
            if (e.getCause() instanceof InterruptedException) {
                Thread.currentThread().interrupt();
                throw new LockInterruptedException(name);
            }
            throw e;
        }
    }
}
