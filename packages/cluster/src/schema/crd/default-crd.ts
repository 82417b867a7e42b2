import type { JsonObject } from "pintle/kinds";
import { edit } from "../edit.ts";
import type { CrdConversion, CustomResourceDefinition } from "./crd.ts";

/** Fills in what a CRD may leave out: names that follow from the kind, conversion, the port of its webhook. */
export function defaultCrd(object: JsonObject): JsonObject {
  const { spec } = object as unknown as CustomResourceDefinition;
  if (spec === undefined || spec === null) return object;
  const names = defaultNames(spec.names ?? {});
  const conversion = defaultConversion(spec.conversion);
  let next: ReturnType<typeof edit> | undefined;
  if (names !== spec.names) next = edit(spec as unknown as JsonObject, next, "names", names as JsonObject);
  if (conversion !== spec.conversion) next = edit(spec as unknown as JsonObject, next, "conversion", conversion as JsonObject);
  return next === undefined ? object : (edit(object, undefined, "spec", next as JsonObject) as JsonObject);
}

function defaultNames(names: NonNullable<CustomResourceDefinition["spec"]["names"]>) {
  const { kind = "", singular = "", listKind = "" } = names;
  if (kind === "" || (singular !== "" && listKind !== "")) return names;
  return { ...names, singular: singular || kind.toLowerCase(), listKind: listKind || `${kind}List` };
}

function defaultConversion(conversion: CrdConversion | undefined): CrdConversion {
  if (conversion === undefined) return { strategy: "None" };
  const { webhook } = conversion;
  const service = webhook?.clientConfig?.service;
  if (service === undefined || service.port !== undefined) return conversion;
  return { ...conversion, webhook: { ...webhook, clientConfig: { ...webhook!.clientConfig, service: { ...service, port: 443 } } } };
}
