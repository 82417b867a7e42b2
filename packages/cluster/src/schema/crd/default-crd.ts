import type { JsonObject } from "pintle/kinds";
import { setField } from "../structural/copy-on-write.ts";
import type { CrdConversion, CustomResourceDefinition } from "./crd.ts";

/**
 * Applies the defaults of a CRD: singular and list kind, conversion strategy, port of the conversion webhook. Returns the same object if
 * nothing is missing.
 *
 * @example
 * ```ts
 * import { defaultCrd } from "@pintle/cluster/schema";
 * import type { JsonObject } from "pintle/kinds";
 *
 * const crd: JsonObject = { spec: { names: { plural: "widgets", kind: "Widget" } } };
 * console.log(defaultCrd(crd)["spec"]); // with singular "widget", listKind "WidgetList" and conversion strategy "None"
 * ```
 */
export function defaultCrd(object: JsonObject): JsonObject {
  const { spec } = object as unknown as CustomResourceDefinition;
  if (spec === undefined || spec === null) return object;
  const names = defaultNames(spec.names ?? {});
  const conversion = defaultConversion(spec.conversion);
  let next: ReturnType<typeof setField> | undefined;
  if (names !== spec.names) next = setField(spec as unknown as JsonObject, next, "names", names as JsonObject);
  if (conversion !== spec.conversion) next = setField(spec as unknown as JsonObject, next, "conversion", conversion as JsonObject);
  return next === undefined ? object : (setField(object, undefined, "spec", next as JsonObject) as JsonObject);
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
