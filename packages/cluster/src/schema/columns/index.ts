/**
 * Looking into objects by path: printer columns, selectable fields, scale paths. In come expressions from CRDs, out
 * come functions from objects to cells.
 */
export { type Column, type ColumnDefinition, printerColumns, selectableField } from "./columns.ts";
export { type JsonPath, jsonPath } from "./json-path.ts";
