import { PintleError } from "../../errors/index.ts";
import { isJsonObject, type Json, setOwnProperty } from "../../json/index.ts";
import type { JsonObject } from "../../kinds/index.ts";
import type { StructuralSchema } from "../custom-resource-definition.ts";
import { sortKeys } from "../sort-keys.ts";
import { type UntypedSpecAndStatus, type VersionModel, versionSchema } from "./crd-version.ts";
import type { ResourceModel } from "./resource-model.ts";

/** Converts an object to another version through the hub. Both conversion functions receive objects with defaults applied. */
export function convertObject(model: ResourceModel, object: JsonObject, version: string): JsonObject {
  const { group, kind } = model.names;
  const [from = ""] = String(object["apiVersion"]).split("/").slice(-1);
  if (from === version) return object;
  const subject = `${kind} ${String(isJsonObject(object["metadata"]) ? object["metadata"]["name"] : "")}`.trim();
  const source = findVersion(model, from, subject);
  const target = findVersion(model, version, subject);
  const sourceFields = fillDefaults(source, object);
  const hub = source.convert?.toHub(sourceFields) ?? sourceFields;
  const targetFields = target.convert?.fromHub(fillDefaults(findVersion(model, model.hub, subject), hub)) ?? hub;
  const status = { ...standardStatusFields(object["status"]), ...targetFields.status };
  const { spec: _, status: __, ...rest } = object;
  return {
    ...rest,
    apiVersion: `${group}/${version}`,
    spec: sortKeys(targetFields.spec),
    ...(targetFields.status !== undefined || Object.keys(status).length > 0 ? { status: sortKeys(status) } : {}),
  };
}

function findVersion({ versions }: ResourceModel, name: string, subject: string): VersionModel {
  const found = versions.find(({ crd }) => crd.name === name);
  if (found !== undefined) return found;
  throw new PintleError(
    "PINTLE2005",
    `${subject}: there is no version ${name}; known are ${versions.map(({ crd }) => crd.name).join(", ")}`,
  );
}

/** `conditions` and `observedGeneration` are the same in every version, so they are copied without a conversion function. */
function standardStatusFields(status: unknown): JsonObject {
  if (!isJsonObject(status)) return {};
  const { conditions, observedGeneration } = status;
  return { ...(conditions === undefined ? {} : { conditions }), ...(observedGeneration === undefined ? {} : { observedGeneration }) };
}

function fillDefaults(
  { crd }: VersionModel,
  { spec = {}, status }: { readonly spec?: unknown; readonly status?: unknown },
): UntypedSpecAndStatus {
  return applyDefaults(versionSchema(crd), {
    spec,
    ...(status === undefined ? {} : { status }),
  } as JsonObject) as unknown as UntypedSpecAndStatus;
}

/** Returns a value with the defaults of its schema applied, as the API server returns it. */
function applyDefaults(schema: StructuralSchema, value: Json): Json {
  if (Array.isArray(value)) return schema.items ? value.map((item) => applyDefaults(schema.items!, item)) : value;
  if (!isJsonObject(value)) return value;
  const out: Record<string, Json> = {};
  for (const [name, part] of Object.entries(value)) {
    const inner = (Object.hasOwn(schema.properties ?? {}, name) && schema.properties![name]) || schema.additionalProperties;
    if (part !== undefined) setOwnProperty(out, name, inner ? applyDefaults(inner, part) : part);
  }
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const absent = out[name] === undefined || (out[name] === null && !field.nullable);
    if (absent && field.default !== undefined) out[name] = applyDefaults(field, field.default);
  }
  return out;
}
