/**
 * How objects compare and merge: what the plan, simulate() and the cluster's apply share, so that they agree by
 * construction. In come plain JSON values and a Shape; out come field sets, merged values and yes-or-no answers.
 * Everything here is pure and nothing is ever changed in place.
 */
export * from "./canonical.ts";
export * from "./compare.ts";
export * from "./conform.ts";
export * from "./covers.ts";
export * from "./equal.ts";
export * from "./extract-items.ts";
export * from "./field-set.ts";
export * from "./fields-v1.ts";
export { goText, quoted } from "./go-text.ts";
export * from "./merge.ts";
export * from "./named-fields.ts";
export { OBJECT_META } from "./object-meta.ts";
export * from "./path-element.ts";
export * from "./project.ts";
export * from "./quantity.ts";
export * from "./remove-items.ts";
export * from "./reshape.ts";
export * from "./shape-of.ts";
export { toFieldSet } from "./to-field-set.ts";
