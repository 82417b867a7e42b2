/**
 * Schemas of custom resources, as kube-apiserver applies them. Takes CustomResourceDefinitions and their schemas as JSON; returns
 * functions that prune, default and validate objects, validate CRDs and format table cells, with the error texts of kube-apiserver.
 * Nothing here does I/O, and no argument is changed in place.
 *
 * This is the public entry point `@pintle/cluster/schema`. The other folders of the package use the entry points of the sub-folders
 * (`cel`, `crd`, `decode`, `openapi`, `printer-columns`, `validation-rules`), which are unstable.
 */
export { type FieldError, type FieldErrorReason, formatFieldError } from "../status/index.ts";
export { type CompiledSchema, type CompileSchemaOptions, compileSchema, type PruneResult } from "./compile-schema.ts";
export { defaultCrd, getCrdWarnings, validateCrd } from "./crd/index.ts";
export { DecodeError } from "./decode/index.ts";
export type { JsonSchema, ValidationRule } from "./json-schema.ts";
export {
  compilePrinterColumns,
  compileSelectableField,
  type PrinterColumn,
  type PrinterColumnDefinition,
} from "./printer-columns/index.ts";
export type { ScalePaths } from "./validation/scale.ts";
export type { ValidationWarningHandler } from "./validation-rules/index.ts";
