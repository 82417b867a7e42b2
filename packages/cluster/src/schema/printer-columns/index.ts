/**
 * Printer columns, selectable fields and scale paths of a CRD. Takes JSONPath expressions; returns functions from
 * objects to table cells or texts.
 */

export { compileJsonPath, type JsonPath } from "./json-path.ts";
export { compilePrinterColumns, compileSelectableField, type PrinterColumn, type PrinterColumnDefinition } from "./printer-columns.ts";
