package io.quarkiverse.lock.redis.topology;

import java.nio.charset.StandardCharsets;

/**
 * Which of its 16,384 slots a Redis Cluster keeps a key in: the CRC16 (XMODEM) of the key, or of its hash tag if it has one.
 */
final class HashSlot {

    private static final int SLOTS = 16384;
    private static final int POLYNOMIAL = 0x1021;
    private static final char[] TABLE = table();

    private HashSlot() {
    }

    static int of(String key) {
        byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
        int open = indexOf('{', bytes, 0);
        int close = open < 0 ? -1 : indexOf('}', bytes, open + 1);
        return close > open + 1 ? crc(bytes, open + 1, close) % SLOTS : crc(bytes, 0, bytes.length) % SLOTS;
    }

    private static int indexOf(char wanted, byte[] bytes, int from) {
        for (int i = from; i < bytes.length; i++) {
            if (bytes[i] == wanted) {
                return i;
            }
        }
        return -1;
    }

    private static int crc(byte[] bytes, int from, int to) {
        int crc = 0;
        for (int i = from; i < to; i++) {
            crc = (crc << 8 ^ TABLE[(crc >> 8 ^ bytes[i]) & 0xff]) & 0xffff;
        }
        return crc;
    }

    private static char[] table() {
        char[] table = new char[256];
        for (int i = 0; i < table.length; i++) {
            int crc = i << 8;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc & 0x8000) == 0 ? crc << 1 : crc << 1 ^ POLYNOMIAL;
            }
            table[i] = (char) crc;
        }
        return table;
    }
}
