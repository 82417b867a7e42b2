/**
 * How objects compare and merge: what the plan, simulate() and the cluster's apply share, so that they agree by
 * construction. In come plain JSON values and a Shape; out come field sets, merged values and yes-or-no answers.
 * Everything here is pure and nothing is ever changed in place.
 *
 * Shapes: `shapeOf` reads them from a schema. Values: `canonical`, `digest`, `equal`, `quantity`. The plan: `project`
 * and `covers`. Apply: FieldSet and its operations, and the walks that make or follow one (`toFieldSet`, `compare`,
 * `merge`, `removeItems`, `extractItems`, `conform`, `reshape`).
 */
export { canonical, digest } from "./canonical.ts";
export { type Comparison, compare } from "./compare.ts";
export { conform, faultsText } from "./conform.ts";
export { covers } from "./covers.ts";
export { equal } from "./equal.ts";
export { extractItems } from "./extract-items.ts";
export {
  difference,
  type FieldSet,
  fieldPath,
  fieldSet,
  has,
  insert,
  intersection,
  isEmpty,
  NONE,
  type Path,
  paths,
  pathText,
  recursiveDifference,
  sameSet,
  union,
} from "./field-set.ts";
export { fromFieldsV1 } from "./fields-v1.ts";
export { goText, quoted } from "./go-text.ts";
export { merge } from "./merge.ts";
export { withNamedFields } from "./named-fields.ts";
export { OBJECT_META } from "./object-meta.ts";
export { fieldElement, type PathElement } from "./path-element.ts";
export { project } from "./project.ts";
export { normalQuantity, quantity } from "./quantity.ts";
export { removeItems } from "./remove-items.ts";
export { reshape } from "./reshape.ts";
export { type Resolve, resourceShape, shapeOf } from "./shape-of.ts";
export { toFieldSet } from "./to-field-set.ts";
