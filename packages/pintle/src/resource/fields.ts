export type { Format } from "./formats.ts";
export { listMap, listSet } from "./list-fields.ts";
export { atomic, type Docs, docs, embedded, granular, maxProperties, minProperties, objectMeta } from "./object-fields.ts";
export { atLeastOneOf, atMostOneOf, exactlyOneOf, immutable, type RuleOptions, rule } from "./rules.ts";
export { anyObject, anyValue, duration, format, intOrString, quantity, time } from "./scalar-fields.ts";
