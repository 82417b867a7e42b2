import { protobuf } from "../../codec/index.ts";
import { definition } from "../published/index.ts";

/** A type as the server's Go code declares it. */
export type GoType =
  | { readonly type: "string" | "bool" | "double" | "bytes" | "quantity" | "intOrString" | "time" | "microTime" | "raw" }
  | { readonly type: "integer"; readonly bits: 32 | 64 }
  | { readonly type: "list" | "map"; readonly of: GoType }
  | { readonly type: "struct"; readonly name: string };

export interface GoField {
  readonly type: GoType;
  /**
   * What becomes of a zero value in JSON: "omit" leaves it out, "write" writes it, "pointer" tells zero from missing and
   * writes it when it is there, "null" writes null when it is not.
   */
  readonly zero: "omit" | "write" | "pointer" | "null";
  /** The embedded struct it is a field of, as errors show it; JSON does not. */
  readonly via?: string | undefined;
  /** The full name of that struct. */
  readonly owner?: string | undefined;
}

/** Its fields by JSON name, those of embedded structs included. */
export type GoStruct = ReadonlyMap<string, GoField>;

const LETTERS: Readonly<Record<string, GoType>> = {
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
const ZERO = { ".": "omit", "!": "write", "?": "pointer", "~": "null" } as const;
const TYPE_META: GoField = { type: { type: "string" }, zero: "omit" };

let lines: Map<string, string> | undefined;
let kinds: Map<string, string> | undefined;
const structs = new Map<string, GoStruct>();

/** "k8s.io.api.apps.v1.DeploymentSpec" */
export function goStruct(name: string): GoStruct {
  const known = structs.get(name);
  if (known !== undefined) return known;
  read();
  const line = lines!.get(name);
  if (line === undefined) throw new Error(`No Go struct is known by the name ${name}`);
  const [head = "", ...words] = line.split(" ");
  const fields = new Map<string, GoField>(head.includes("@") ? Object.entries({ apiVersion: TYPE_META, kind: TYPE_META }) : []);
  for (const word of words) {
    const [, presence, json, expression] = /^\d+([.!?~])([^:]*):?(.*)$/.exec(word) as unknown as [string, ".", string, string];
    const type = typeOf(expression, name, json);
    if (json !== "") fields.set(json, { type, zero: ZERO[presence] });
    else if (type.type === "struct") {
      const via = type.name.slice(type.name.lastIndexOf(".") + 1);
      for (const [inner, field] of goStruct(type.name)) {
        fields.set(inner, { owner: type.name, ...field, via: field.via === undefined ? via : `${via}.${field.via}` });
      }
    }
  }
  structs.set(name, fields);
  return fields;
}

/** The struct of a kind: ("apps/v1", "Deployment"). */
export function structOf(apiVersion: string, kind: string): string {
  read();
  const name = kinds!.get(`${apiVersion}/${kind}`);
  if (name === undefined) throw new Error(`No Go struct is known for ${kind} in ${apiVersion}`);
  return name;
}

/** The name of the same struct in OpenAPI. */
export function definitionName(struct: string): string {
  return struct.replace(/^k8s\.io\./, "io.k8s.").replaceAll("_", "-");
}

function typeOf(expression: string, struct: string, field: string): GoType {
  if (expression.startsWith("[")) return { type: "list", of: typeOf(expression.slice(1, -1), struct, field) };
  if (expression.startsWith("{")) return { type: "map", of: typeOf(expression.slice(1, -1), struct, field) };
  if (expression === "n") return { type: "integer", bits: isWide(struct, field) ? 64 : 32 };
  const known = LETTERS[expression];
  if (known !== undefined) return known;
  return { type: "struct", name: expression.includes(".") ? expression : `${struct.slice(0, struct.lastIndexOf("."))}.${expression}` };
}

/** The table of numbers does not tell 32 bits from 64; OpenAPI does. */
function isWide(struct: string, field: string): boolean {
  const properties = definition(definitionName(struct))?.["properties"] as
    | Readonly<Record<string, { readonly format?: string }>>
    | undefined;
  return JSON.stringify(properties?.[field] ?? "").includes('"int64"');
}

function read(): void {
  if (lines !== undefined) return;
  lines = new Map();
  kinds = new Map();
  let prefix = "";
  for (const line of protobuf.split("\n")) {
    if (!line.startsWith("\t")) {
      prefix = line;
      continue;
    }
    const end = line.indexOf(" ");
    const [name = "", groupVersion] = line.slice(1, end === -1 ? undefined : end).split("@");
    lines.set(`${prefix}.${name}`, line.slice(1));
    if (groupVersion !== undefined) kinds.set(`${groupVersion}/${name}`, `${prefix}.${name}`);
  }
}
