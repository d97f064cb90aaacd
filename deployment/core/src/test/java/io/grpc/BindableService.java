package io.grpc;

/** What the base class of a gRPC service implements, for applications of tests. */
public interface BindableService {

    Object bindService();
}
