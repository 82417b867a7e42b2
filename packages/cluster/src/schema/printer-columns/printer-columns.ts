import { encodeGoJson, formatGoNumber } from "pintle/internal/go-format";
import { isJsonObject } from "pintle/internal/json";
import type { Json, JsonObject } from "pintle/kinds";
import { DecodeError, parseTime } from "../decode/index.ts";
import { compileJsonPath, type JsonPath } from "./json-path.ts";

/** An entry of `additionalPrinterColumns`. */
export interface PrinterColumnDefinition {
  /** The heading. */
  readonly name: string;
  /** "string", "integer", "number", "boolean" or "date". */
  readonly type: string;
  /** A simple JSON path, relative to the object: ".spec.size". */
  readonly jsonPath: string;
  /** An OpenAPI format: "int32". Default: none. */
  readonly format?: string | undefined;
  /** What the column shows. Default: none. */
  readonly description?: string | undefined;
  /** 0: always shown; more: only with `-o wide`. Default: 0. */
  readonly priority?: number | undefined;
}

/** A compiled printer column. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  readonly format: string;
  readonly description: string;
  readonly priority: number;
  /**
   * Returns the table cell of an object, or null if the path finds no value. The cell of a date column is the
   * timestamp, or `<invalid>`.
   */
  formatCell(object: JsonObject): Json;
}

const ageColumn: PrinterColumnDefinition = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };

/**
 * Compiles the columns after the name column. Without definitions the only column is the age; a definition with an invalid path ends the
 * list, as in kube-apiserver.
 *
 * @example
 * ```ts
 * import { compilePrinterColumns } from "@pintle/cluster/schema";
 *
 * const [size] = compilePrinterColumns([{ name: "Size", type: "integer", jsonPath: ".spec.size" }]);
 * console.log(size?.formatCell({ spec: { size: 3 } })); // 3
 * ```
 */
export function compilePrinterColumns(definitions: readonly PrinterColumnDefinition[] = []): readonly PrinterColumn[] {
  const columns: PrinterColumn[] = [];
  for (const definition of definitions.length === 0 ? [ageColumn] : definitions) {
    const path = tryCompileJsonPath(definition.jsonPath);
    if (path === undefined) break;
    columns.push(compileColumn(definition, path));
  }
  return columns;
}

function compileColumn(definition: PrinterColumnDefinition, path: JsonPath): PrinterColumn {
  const { name, type, format = "", priority = 0 } = definition;
  const defaultDescription = `Custom resource definition column (in JSONPath format): ${definition.jsonPath}`;
  return {
    name,
    type: type as PrinterColumn["type"],
    format,
    description: definition.description || defaultDescription,
    priority,
    formatCell(object) {
      const value = findFirst(path, object);
      if (value === undefined) return null;
      return type === "string" ? formatText(value) : formatTyped(type, value);
    },
  };
}

/**
 * Compiles the JSONPath of a selectable field to a function from an object to the text that field selectors compare with; "" if the field
 * is missing. Throws `SyntaxError` if the path is invalid.
 *
 * @example
 * ```ts
 * import { compileSelectableField } from "@pintle/cluster/schema";
 *
 * const getColor = compileSelectableField(".spec.color");
 * console.log(getColor({ spec: { color: "red" } })); // "red"
 * ```
 */
export function compileSelectableField(expression: string): (object: JsonObject) => string {
  const path = compileJsonPath(expression);
  return (object) => {
    const value = findFirst(path, object);
    return value === undefined || value === null ? "" : formatText(value);
  };
}

function tryCompileJsonPath(expression: string): JsonPath | undefined {
  try {
    return compileJsonPath(expression);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function findFirst(path: JsonPath, object: JsonObject): Json | undefined {
  try {
    return path(object)[0];
  } catch {
    // A path that does not fit this object yields an empty cell, not an error for the whole table.
    return undefined;
  }
}

function formatText(value: Json): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "bigint") return formatGoNumber(value);
  if (value === null) return "<no value>";
  return isJsonObject(value) || Array.isArray(value) ? encodeGoJson(value) : String(value);
}

function formatTyped(type: string, value: Json): Json {
  switch (type) {
    case "integer":
      return typeof value === "number" ? Math.trunc(value) : typeof value === "bigint" ? value : null;
    case "number":
      return typeof value === "number" || typeof value === "bigint" ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      return typeof value === "string" ? formatTimestamp(value) : null;
    default:
      return null;
  }
}

function formatTimestamp(value: string): string {
  if (value === "" || value === "null") return "<unknown>";
  try {
    parseTime(value);
    return value;
  } catch (error) {
    if (error instanceof DecodeError) return "<invalid>";
    throw error;
  }
}
