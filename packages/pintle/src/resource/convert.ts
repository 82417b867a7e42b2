import { isObject, type JsonObject } from "../kinds/index.ts";
import { defaulted } from "./defaulted.ts";
import type { Model } from "./model.ts";
import { ordered } from "./ordered.ts";
import { type Body, schemaOf, type Version } from "./version.ts";

/** One object in another version, through the hub. Both conversions see objects with all defaults filled in. */
export function convert(model: Model, object: JsonObject, version: string): JsonObject {
  const { group, kind } = model.names;
  const [from = ""] = String(object["apiVersion"]).split("/").slice(-1);
  if (from === version) return object;
  const said = `${kind} ${String(isObject(object["metadata"]) ? object["metadata"]["name"] : "")}`.trim();
  const source = find(model, from, said);
  const target = find(model, version, said);
  const there = read(source, object);
  const hub = source.convert?.toHub(there) ?? there;
  const here = target.convert?.fromHub(read(find(model, model.hub, said), hub)) ?? hub;
  const status = { ...standard(object["status"]), ...here.status };
  const { spec: _, status: __, ...rest } = object;
  return {
    ...rest,
    apiVersion: `${group}/${version}`,
    spec: ordered(here.spec),
    ...(here.status !== undefined || Object.keys(status).length > 0 ? { status: ordered(status) } : {}),
  };
}

function find({ versions }: Model, name: string, said: string): Version {
  const found = versions.find(({ crd }) => crd.name === name);
  if (found !== undefined) return found;
  throw new Error(`${said}: there is no version ${name}; known are ${versions.map(({ crd }) => crd.name).join(", ")}`);
}

/** Conditions and observedGeneration mean the same in every version, so no conversion has to carry them. */
function standard(status: unknown): JsonObject {
  if (!isObject(status)) return {};
  const { conditions, observedGeneration } = status;
  return { ...(conditions === undefined ? {} : { conditions }), ...(observedGeneration === undefined ? {} : { observedGeneration }) };
}

function read({ crd }: Version, { spec = {}, status }: { readonly spec?: unknown; readonly status?: unknown }): Body {
  return defaulted(schemaOf(crd), { spec, ...(status === undefined ? {} : { status }) } as JsonObject) as unknown as Body;
}
