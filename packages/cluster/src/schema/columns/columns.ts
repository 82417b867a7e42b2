import { isObject, type Json, type JsonObject } from "pintle/kinds";
import { goJson, goNumber } from "../../status/index.ts";
import { DecodeError, parseTime } from "../decode/index.ts";
import { type JsonPath, jsonPath } from "./json-path.ts";

/** An entry of `additionalPrinterColumns`. */
export interface ColumnDefinition {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly format?: string | undefined;
  readonly description?: string | undefined;
  readonly priority?: number | undefined;
}

export interface Column {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  readonly format: string;
  readonly description: string;
  readonly priority: number;
  /** What a table shows for an object; null when there is nothing. A date is the timestamp itself, or `<invalid>`. */
  cell(object: JsonObject): Json;
}

const age: ColumnDefinition = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };

/** The columns after the name. A version that declares none shows the age; one that cannot be read ends the list. */
export function printerColumns(definitions: readonly ColumnDefinition[] = []): readonly Column[] {
  const columns: Column[] = [];
  for (const definition of definitions.length === 0 ? [age] : definitions) {
    const path = readable(definition.jsonPath);
    if (path === undefined) break;
    columns.push(column(definition, path));
  }
  return columns;
}

function column(definition: ColumnDefinition, path: JsonPath): Column {
  const { name, type, format = "", priority = 0 } = definition;
  const from = `Custom resource definition column (in JSONPath format): ${definition.jsonPath}`;
  return {
    name,
    type: type as Column["type"],
    format,
    description: definition.description || from,
    priority,
    cell(object) {
      const value = first(path, object);
      if (value === undefined) return null;
      return type === "string" ? text(value) : typed(type, value);
    },
  };
}

/** The text a field selector compares with; empty when there is nothing. */
export function selectableField(expression: string): (object: JsonObject) => string {
  const path = jsonPath(expression);
  return (object) => {
    const value = first(path, object);
    return value === undefined || value === null ? "" : text(value);
  };
}

function readable(expression: string): JsonPath | undefined {
  try {
    return jsonPath(expression);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function first(path: JsonPath, object: JsonObject): Json | undefined {
  try {
    return path(object)[0];
  } catch {
    // A path that does not fit this object is an empty cell, not a failure of the whole table.
    return undefined;
  }
}

function text(value: Json): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "bigint") return goNumber(value);
  if (value === null) return "<no value>";
  return isObject(value) || Array.isArray(value) ? goJson(value) : String(value);
}

function typed(type: string, value: Json): Json {
  switch (type) {
    case "integer":
      return typeof value === "number" ? Math.trunc(value) : typeof value === "bigint" ? value : null;
    case "number":
      return typeof value === "number" || typeof value === "bigint" ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      return typeof value === "string" ? timestamp(value) : null;
    default:
      return null;
  }
}

function timestamp(value: string): string {
  if (value === "" || value === "null") return "<unknown>";
  try {
    parseTime(value);
    return value;
  } catch (error) {
    if (error instanceof DecodeError) return "<invalid>";
    throw error;
  }
}
