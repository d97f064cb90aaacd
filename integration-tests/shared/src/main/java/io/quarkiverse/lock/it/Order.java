package io.quarkiverse.lock.it;

/** A record: its components can be parts of a lock's name. */
public record Order(String id, Customer customer) {

    /** A class with a getter and a public field. */
    public static final class Customer {

        public final String country;
        private final String number;

        public Customer(String country, String number) {
            this.country = country;
            this.number = number;
        }

        public String getNumber() {
            return number;
        }
    }
}
