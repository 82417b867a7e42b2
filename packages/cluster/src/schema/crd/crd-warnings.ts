import type { JsonObject } from "pintle/kinds";
import { goQuote } from "../../status/index.ts";
import { knownFormat } from "../validate/validator.ts";
import type { CustomResourceDefinition } from "./crd.ts";
import { someSchema } from "./some-schema.ts";

/** What a client should hear about a CRD that is accepted: formats that check nothing. On updates, only new ones. */
export function crdWarnings(crd: JsonObject, old?: JsonObject): readonly string[] {
  const before = old === undefined ? new Set() : ignoredFormats(old);
  return [...ignoredFormats(crd)].filter((format) => !before.has(format)).map((format) => `unrecognized format ${goQuote(format)}`);
}

function ignoredFormats(crd: JsonObject): Set<string> {
  const ignored = new Set<string>();
  for (const { schema } of (crd as unknown as CustomResourceDefinition).spec.versions ?? []) {
    if (schema?.openAPIV3Schema === undefined) continue;
    someSchema(schema.openAPIV3Schema, ({ type, format }) => {
      if (format && knownFormat({ type, format }) === "") ignored.add(format);
      return false;
    });
  }
  return ignored;
}
