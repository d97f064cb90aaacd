package io.quarkiverse.lock.deployment.name;

import java.lang.constant.ClassDesc;
import java.util.List;

/**
 * A checked part of a template.
 *
 * @param source as written
 * @param parameter index of the parameter it begins with
 * @param steps the steps from there
 */
public record PartPath(String source, int parameter, List<Step> steps) {

    /**
     * Reads one property.
     *
     * @param path the path from the parameter to the property's object, as written
     * @param owner that object's type
     * @param ownerIsInterface whether that is an interface
     */
    record Step(String path, ClassDesc owner, boolean ownerIsInterface, Properties.Property property) {
    }
}
