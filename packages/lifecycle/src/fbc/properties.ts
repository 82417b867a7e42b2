import { quoteGoString } from "pintle/internal/go-format";
import { decodeGo, type GoType } from "../go-types/index.ts";
import type { Property } from "./types.ts";

/** The value of an `olm.package` property. */
export interface PackageProperty {
  readonly packageName: string;
  readonly version: string;
  readonly release: string;
}

const STRINGS: GoType = { map: "string" };
const GVK: GoType = { struct: "property.GVK", fields: { group: "string", kind: "string", version: "string" } };
const NAMED_LINK: GoType = { struct: "v1alpha1.AppLink", fields: { name: "string", url: "string" } };

/** The Go type of each property that operator-registry knows. */
const TYPES: Readonly<Record<string, GoType>> = {
  "olm.package": { struct: "property.Package", fields: { packageName: "string", version: "string", release: "string" } },
  "olm.package.required": { struct: "property.PackageRequired", fields: { packageName: "string", versionRange: "string" } },
  "olm.gvk": GVK,
  "olm.gvk.required": { ...GVK, struct: "property.GVKRequired" },
  "olm.bundle.object": { struct: "property.BundleObject", fields: { data: "bytes" } },
  "olm.channel": { struct: "property.Channel", fields: { channelName: "string", priority: "int" } },
  "olm.csv.metadata": {
    struct: "property.CSVMetadata",
    fields: {
      annotations: STRINGS,
      apiServiceDefinitions: { struct: "v1alpha1.APIServiceDefinitions", fields: { owned: { list: "any" }, required: { list: "any" } } },
      crdDescriptions: { struct: "v1alpha1.CustomResourceDefinitions", fields: { owned: { list: "any" }, required: { list: "any" } } },
      description: "string",
      displayName: "string",
      installModes: { list: { struct: "v1alpha1.InstallMode", fields: { type: "string", supported: "bool" } } },
      keywords: { list: "string" },
      labels: STRINGS,
      links: { list: NAMED_LINK },
      maintainers: { list: { struct: "v1alpha1.Maintainer", fields: { name: "string", email: "string" } } },
      maturity: "string",
      minKubeVersion: "string",
      nativeAPIs: { list: { struct: "v1.GroupVersionKind", fields: { group: "string", version: "string", kind: "string" } } },
      provider: NAMED_LINK,
    },
  },
};

/** Decodes the properties of a bundle: its `olm.package` properties, or what is wrong in the words of operator-registry. */
export function parseProperties(
  properties: readonly Property[],
): { readonly packages: readonly PackageProperty[] } | { readonly problem: string } {
  const packages: PackageProperty[] = [];
  for (const [i, { type = "", value }] of properties.entries()) {
    const fail = (why: string) => ({ problem: `parse property[${i}] of type ${quoteGoString(type)}: ${why}` });
    if (value === undefined) return fail("unexpected end of JSON input");
    if (!Object.hasOwn(TYPES, type)) continue;
    try {
      const decoded = decodeGo(value, TYPES[type]!) as Partial<PackageProperty> | undefined;
      if (type === "olm.package") packages.push({ packageName: "", version: "", release: "", ...decoded });
    } catch (error) {
      return fail(error instanceof Error ? error.message : String(error));
    }
  }
  return { packages };
}
