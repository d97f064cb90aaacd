package kotlinx.coroutines.channels;

/** Into which a Kotlin coroutine still sends, for applications of tests. */
public interface ReceiveChannel<E> {
}
