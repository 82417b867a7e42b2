import { InternalError } from "pintle/internal/errors";
import { memoizeByKey } from "pintle/internal/memoize";
import { getMessageTable } from "../../codec/index.ts";
import { getDefinition } from "../published/index.ts";

/** A Go type of kube-apiserver. */
export type GoType =
  | { readonly type: "string" | "bool" | "double" | "bytes" | "quantity" | "intOrString" | "time" | "microTime" | "raw" }
  | { readonly type: "integer"; readonly bits: 32 | 64 }
  | { readonly type: "list" | "map"; readonly of: GoType }
  | { readonly type: "struct"; readonly name: string };

export interface GoField {
  readonly type: GoType;
  /**
   * How a zero value is encoded: "omit" leaves it out, "write" writes it, "pointer" distinguishes zero from missing and
   * writes it if present, "null" writes null if missing.
   */
  readonly zero: "omit" | "write" | "pointer" | "null";
  /** Path of the embedded struct that declares the field, as errors print it. */
  readonly embeddedPath?: string | undefined;
  /** Full name of that struct. */
  readonly declaringStruct?: string | undefined;
}

/** Fields by JSON name, including those of embedded structs. */
export type GoStruct = ReadonlyMap<string, GoField>;

const TYPE_CODES: Readonly<Record<string, GoType>> = {
  "": { type: "string" },
  b: { type: "bool" },
  d: { type: "double" },
  y: { type: "bytes" },
  q: { type: "quantity" },
  i: { type: "intOrString" },
  t: { type: "time" },
  m: { type: "microTime" },
  r: { type: "raw" },
  e: { type: "list", of: { type: "string" } },
};
const ZERO_MODES = { ".": "omit", "!": "write", "?": "pointer", "~": "null" } as const;
const TYPE_META: GoField = { type: { type: "string" }, zero: "omit" };

/** Returns the fields of a struct by its full name: "k8s.io.api.apps.v1.DeploymentSpec". */
export const getGoStruct: (name: string) => GoStruct = memoizeByKey((name) => {
  const line = getMessageTable().lines.get(name);
  if (line === undefined) throw new InternalError(`no Go struct is known by the name ${name}`);
  const [head = "", ...words] = line.split(" ");
  const fields = new Map<string, GoField>(head.includes("@") ? Object.entries({ apiVersion: TYPE_META, kind: TYPE_META }) : []);
  for (const word of words) {
    const [, presence, json, expression = ""] = /^\d+([.!?~])([^:]*)(?::(.*))?$/.exec(word) as unknown as [string, ".", string, string?];
    const type = parseTypeExpression(expression, name, json);
    if (json !== "") fields.set(json, { type, zero: ZERO_MODES[presence] });
    else if (type.type === "struct") {
      const via = type.name.slice(type.name.lastIndexOf(".") + 1);
      for (const [inner, field] of getGoStruct(type.name)) {
        fields.set(inner, {
          declaringStruct: type.name,
          ...field,
          embeddedPath: field.embeddedPath === undefined ? via : `${via}.${field.embeddedPath}`,
        });
      }
    }
  }
  return fields;
});

/** Returns the struct name of a kind: ("apps/v1", "Deployment"). */
export function getStructName(apiVersion: string, kind: string): string {
  const name = getMessageTable().kinds.get(`${apiVersion}/${kind}`);
  if (name === undefined) throw new InternalError(`no Go struct is known for ${kind} in ${apiVersion}`);
  return name;
}

/** Returns the OpenAPI definition name of a struct. */
export function getDefinitionName(struct: string): string {
  return struct.replace(/^k8s\.io\./, "io.k8s.").replaceAll("_", "-");
}

function parseTypeExpression(expression: string, struct: string, field: string): GoType {
  if (expression.startsWith("[")) return { type: "list", of: parseTypeExpression(expression.slice(1, -1), struct, field) };
  if (expression.startsWith("{")) return { type: "map", of: parseTypeExpression(expression.slice(1, -1), struct, field) };
  if (expression === "n") return { type: "integer", bits: isInt64Field(struct, field) ? 64 : 32 };
  const known = TYPE_CODES[expression];
  if (known !== undefined) return known;
  return { type: "struct", name: expression.includes(".") ? expression : `${struct.slice(0, struct.lastIndexOf("."))}.${expression}` };
}

/**
 * Returns whether an integer field has 64 bits. The protobuf table does not distinguish them, but the OpenAPI
 * definition does.
 */
function isInt64Field(struct: string, field: string): boolean {
  const properties = getDefinition(getDefinitionName(struct))?.["properties"] as
    | Readonly<Record<string, { readonly format?: string }>>
    | undefined;
  return JSON.stringify(properties?.[field] ?? "").includes('"int64"');
}
