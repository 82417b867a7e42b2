import { isObject, type JsonObject } from "../kinds/index.ts";
import type { Model } from "./model.ts";
import { ordered } from "./ordered.ts";

/** One object in another version, through the hub. */
export function convert(model: Model, object: JsonObject, version: string): JsonObject {
  const { group, kind } = model.names;
  const [from] = String(object["apiVersion"]).split("/").slice(-1);
  if (from === version) return object;
  const said = `${kind} ${String(isObject(object["metadata"]) ? object["metadata"]["name"] : "")}`.trim();
  const there = body(object);
  const hub = find(model, from!, said)?.toHub(there) ?? there;
  const here = find(model, version, said)?.fromHub(hub) ?? hub;
  const status = { ...standard(object["status"]), ...here.status };
  const { spec: _, status: __, ...rest } = object;
  return {
    ...rest,
    apiVersion: `${group}/${version}`,
    spec: ordered(here.spec),
    ...(here.status !== undefined || Object.keys(status).length > 0 ? { status: ordered(status) } : {}),
  };
}

function find({ versions }: Model, name: string, said: string) {
  const found = versions.find(({ crd }) => crd.name === name);
  if (found !== undefined) return found.convert;
  throw new Error(`${said}: there is no version ${name}; known are ${versions.map(({ crd }) => crd.name).join(", ")}`);
}

/** Conditions and observedGeneration mean the same in every version, so no conversion has to carry them. */
function standard(status: unknown): JsonObject {
  if (!isObject(status)) return {};
  const { conditions, observedGeneration } = status;
  return { ...(conditions === undefined ? {} : { conditions }), ...(observedGeneration === undefined ? {} : { observedGeneration }) };
}

function body(object: JsonObject): { readonly spec: any; readonly status?: any } {
  return { spec: object["spec"] ?? {}, ...(object["status"] === undefined ? {} : { status: object["status"] }) };
}
