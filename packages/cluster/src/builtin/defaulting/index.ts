/**
 * Defaulting of built-in kinds. Takes the name of a Go struct; returns a function that applies the defaults of the
 * struct and its fields in place.
 */
import { coreDefaults } from "./core.ts";
import { otherDefaults } from "./others.ts";
import { podDefaults } from "./pod.ts";
import { createStructDefaulter } from "./struct-defaulter.ts";
import { workloadDefaults } from "./workloads.ts";

export { TEMPLATE_GENERATION_ANNOTATION } from "./workloads.ts";

/** Returns the function that applies the defaults of a Go struct in place; undefined if it has none. */
export const getDefaulter = createStructDefaulter({ ...coreDefaults, ...podDefaults, ...workloadDefaults, ...otherDefaults });
