/**
 * Comparison and merge of objects, shared by the controller's plan, simulate() and the embedded cluster's server-side apply. In: JSON values
 * and a Shape. Out: field sets, merged values and comparisons. Everything here is pure, and no argument is modified.
 *
 * `shape/` reads shapes from schemas. `field-set/` has field sets and their operations, as in `managedFields`. `structured-merge/` merges,
 * compares, validates and extracts objects as Kubernetes' structured-merge-diff does. `drift/` compares desired with live objects for the
 * plan. `object-diff/` tells which fields differ between two states of an object, and which manager owns each field.
 */
export { canonicalJson, digest } from "./canonical-json.ts";
export { isSatisfiedBy } from "./drift/is-satisfied-by.ts";
export { listDifferences } from "./drift/list-differences.ts";
export { selectDesiredFields } from "./drift/select-desired-fields.ts";
export {
  buildFieldSet,
  difference,
  EMPTY_FIELD_SET,
  type FieldSet,
  type FieldSetPath,
  fieldSetPath,
  formatPath,
  hasPath,
  insertPath,
  intersection,
  isEmptySet,
  isSameSet,
  iteratePaths,
  recursiveDifference,
  union,
  unionAll,
} from "./field-set/field-set.ts";
export { parseFieldsV1 } from "./field-set/fields-v1.ts";
export { ensureNamedFieldsAreMembers } from "./field-set/named-fields.ts";
export { fieldElement, type PathElement } from "./field-set/path-element.ts";
export { reconcileFieldSetWithShape } from "./field-set/reconcile-field-set.ts";
export { toFieldSet } from "./field-set/to-field-set.ts";
export { isJsonEqual } from "./json-equal.ts";
export { blame, type FieldBlame, type FieldManager } from "./object-diff/blame.ts";
export { diffObjects, type FieldChange } from "./object-diff/diff-objects.ts";
export { blameWithOrigins, type FieldSince, type ObjectCommit } from "./object-diff/field-origins.ts";
export { canonicalizeQuantity, type ExactQuantity, parseQuantity, quantityValue, scaleByPowerOfTen } from "./quantity.ts";
export { OBJECT_META_SHAPE } from "./shape/object-meta.ts";
export {
  type ResolveSchema,
  resourceShapeFromSchema,
  shapeFromSchema,
} from "./shape/shape-from-schema.ts";
export { type Comparison, compareObjects } from "./structured-merge/compare-objects.ts";
export { extractItems } from "./structured-merge/extract-items.ts";
export { mergeObjects } from "./structured-merge/merge-objects.ts";
export { removeItems } from "./structured-merge/remove-items.ts";
export { formatViolations, validateAgainstShape } from "./structured-merge/validate-against-shape.ts";
