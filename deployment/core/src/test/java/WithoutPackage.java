/** A class that has no package. */
public class WithoutPackage {

    void run() {
    }
}
