package io.grpc.stub;

/** What a gRPC method returns to receive messages later, for applications of tests. */
public interface StreamObserver<T> {

    void onNext(T message);
}
