package io.quarkiverse.lock.deployment.name;

import java.lang.constant.ClassDesc;
import java.util.List;

/**
 * A part of a template that has been checked.
 *
 * @param source as written
 * @param parameter index of the parameter it begins with
 * @param steps from there
 */
public record PartPath(String source, int parameter, List<Step> steps) {

    /**
     * Reads one property.
     *
     * @param path from the parameter to the object the property belongs to, as written
     * @param owner that object's type
     * @param ownerIsInterface whether that is an interface
     */
    record Step(String path, ClassDesc owner, boolean ownerIsInterface, Properties.Property property) {
    }
}
