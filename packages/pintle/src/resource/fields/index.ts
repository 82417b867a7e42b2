/**
 * Field functions: properties of a field that Zod has no notation for, such as list keys, quantities and CEL rules. In: Zod schemas. Out:
 * Zod schemas with `FieldAttributes`, which `schema/` reads.
 */
export { celFieldName } from "./cel-field-name.ts";
export { atLeastOneOf, atMostOneOf, type CelRuleOptions, celRule, exactlyOneOf, immutable } from "./cel-rules.ts";
export { type AnyZodType, attributesOf, type FieldAttributes, isAttributeCheck, withAttributes } from "./field-attributes.ts";
export { listMap, listSet } from "./list-fields.ts";
export {
  atomic,
  embedded,
  type FieldDocs,
  fieldDocs,
  granular,
  maxProperties,
  minProperties,
  objectMeta,
} from "./object-fields.ts";
export { anyObject, anyValue, duration, intOrString, quantity, sensitive, stringFormat, timestamp } from "./scalar-fields.ts";
export { acceptsFormat, type StringFormat } from "./string-formats.ts";
