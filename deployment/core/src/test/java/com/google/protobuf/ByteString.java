package com.google.protobuf;

import java.nio.charset.StandardCharsets;

/** Some bytes in a message of gRPC, for applications of tests; writes its text as the real one does. */
public abstract class ByteString {

    public static ByteString copyFromUtf8(String text) {
        return new LiteralByteString(text.getBytes(StandardCharsets.UTF_8));
    }

    public abstract int size();

    @Override
    public final String toString() {
        return "<ByteString@" + Integer.toHexString(System.identityHashCode(this)) + " size=" + size() + ">";
    }

    private static final class LiteralByteString extends ByteString {

        private final byte[] bytes;

        private LiteralByteString(byte[] bytes) {
            this.bytes = bytes;
        }

        @Override
        public int size() {
            return bytes.length;
        }
    }
}
