package io.quarkiverse.lock.runtime.method;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import org.jboss.logging.Logger;

import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.runtime.config.Durations;
import io.quarkiverse.lock.runtime.config.LockRuntimeConfig;
import io.quarkiverse.lock.runtime.config.OverrideVariables;

/** What operators change for single templates; also finds overrides without effect, because no method has the template. */
final class TemplateOverrides {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.lock");
    private static final List<String> KEYS = List.of("wait", "lease", "renew", "max-hold", "hold-at-least", "linger",
            "on-lost");

    private final LockRuntimeConfig config;
    private final OverrideVariables variables;
    private final List<String> problems;
    private final Set<String> templates = new TreeSet<>();
    private final Set<String> ids = new TreeSet<>();

    TemplateOverrides(LockRuntimeConfig config, OverrideVariables variables, List<String> problems) {
        this.config = config;
        this.variables = variables;
        this.problems = problems;
        for (String template : config.overrides().keySet()) {
            check(template);
        }
    }

    /** Values are checked even if no method has the template. */
    private void check(String template) {
        LockRuntimeConfig.Override override = config.overrides().get(template);
        check(template, "wait", () -> override.waitFor().ifPresent(Durations::checkWait));
        check(template, "lease", () -> override.lease().ifPresent(LockOptions::checkLease));
        check(template, "hold-at-least", () -> override.holdAtLeast().ifPresent(LockOptions::checkHoldAtLeast));
        check(template, "linger", () -> override.linger().ifPresent(Durations::checkLinger));
        check(template, "max-hold", () -> override.maxHold().ifPresent(Durations::checkMaxHold));
    }

    private void check(String template, String key, Runnable check) {
        try {
            check.run();
        } catch (IllegalArgumentException e) {
            problems.add(property(template, key) + ": " + e.getMessage());
        }
    }

    MethodOverrides of(LockedDefinition definition) {
        templates.add(definition.template());
        List<String> keys = new ArrayList<>();
        if (!definition.id().isEmpty()) {
            ids.add(definition.id());
            keys.add(definition.id());
        }
        keys.add(definition.template());
        return new MethodOverrides(config.overrides(), keys);
    }

    /** Call it once all methods have asked for their overrides. */
    void checkUnused() {
        for (String template : new TreeSet<>(config.overrides().keySet())) {
            if (templates.contains(template) || ids.contains(template)) {
                KEYS.forEach(key -> variables.settle(template, key));
            }
            String spelledTwice = variables.spelledTwice(template);
            if (spelledTwice != null) {
                problems.add(spelledTwice);
            }
        }
        for (String variable : variables.left()) {
            refuse(variable);
        }
        if (problems.isEmpty()) {
            warnOfUnused();
        }
    }

    /** A variable cannot be meant for another version of the application, since it is set where this one is started. */
    private void refuse(String variable) {
        problems.add("The environment variable " + variable + " changes nothing: a variable addresses a method by its "
                + "@Locked(id = \"...\"), as in QUARKUS_LOCK_OVERRIDES_PAY_WAIT for id \"pay\", with one of the keys "
                + String.join(", ", KEYS) + ". " + (ids.isEmpty() ? "No method has an id: give it one"
                        : "There are the ids: " + String.join(", ", ids) + ". Correct the variable")
                + ", remove the variable, or set quarkus.lock.overrides.\"<template>\".* in another source of configuration");
    }

    /** Not a failure: the same settings may serve a version of the application that has the method. */
    private void warnOfUnused() {
        for (String template : new TreeSet<>(config.overrides().keySet())) {
            if (!templates.contains(template) && !ids.contains(template)) {
                LOG.warnf("%s changes nothing: no @Locked method has this template or id; there are: %s",
                        property(template, "*"), known());
            }
        }
    }

    private String known() {
        Set<String> known = new TreeSet<>(templates);
        known.addAll(ids);
        return known.isEmpty() ? "none" : '"' + String.join("\", \"", known) + '"';
    }

    static String property(String template, String key) {
        return OverrideVariables.PREFIX + "\"" + template + "\"." + key;
    }
}
