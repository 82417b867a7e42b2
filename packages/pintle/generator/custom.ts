import { isRecord } from "./documents.ts";
import type { GroupVersion } from "./group-version.ts";
import { hoist } from "./hoist.ts";
import { OBJECT_META, objectMeta } from "./object-meta.ts";
import { byText, reference, type Schema } from "./schema.ts";

interface CustomResourceDefinition {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly scope: "Namespaced" | "Cluster";
    readonly names: { readonly kind: string; readonly plural: string };
    readonly versions: readonly {
      readonly name: string;
      readonly served: boolean;
      readonly schema?: { readonly openAPIV3Schema?: Schema };
      readonly subresources?: Readonly<Record<string, unknown>>;
    }[];
  };
}

const TEXT: Schema = { type: "string" };

/** The served versions of a CustomResourceDefinition, each for a file of its own: "widgets.example.com/v1". */
export function custom(definition: unknown): readonly GroupVersion[] {
  if (!isCustomResourceDefinition(definition))
    throw new Error(`Not a CustomResourceDefinition of apiextensions.k8s.io/v1: ${describe(definition)}`);
  const { group, scope, names, versions } = definition.spec;
  return versions
    .filter((version) => version.served)
    .map((version) => {
      const definitions: Record<string, Schema> = { ...objectMeta };
      const schema = version.schema?.openAPIV3Schema ?? { type: "object", "x-kubernetes-preserve-unknown-fields": true };
      const { kind } = names;
      const properties = { ...schema.properties, apiVersion: TEXT, kind: TEXT, metadata: { $ref: reference(OBJECT_META) } };
      const root = hoist({ ...schema, properties }, kind, [`${kind}Desired`, `${kind}Kind`], definitions);
      return {
        group,
        version: version.name,
        file: `${definition.metadata.name}/${version.name}`,
        kinds: [
          {
            kind,
            definition: root,
            scope,
            plural: names.plural,
            verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
            subresources: Object.keys(version.subresources ?? {}).sort(byText),
          },
        ],
        types: Object.keys(definitions)
          .filter((name) => name !== root && !(name in objectMeta))
          .sort(byText),
        definitions,
      };
    });
}

function isCustomResourceDefinition(value: unknown): value is CustomResourceDefinition {
  return isRecord(value) && value["kind"] === "CustomResourceDefinition" && value["apiVersion"] === "apiextensions.k8s.io/v1";
}

function describe(value: unknown): string {
  return isRecord(value) ? `${String(value["apiVersion"])} ${String(value["kind"])}` : typeof value;
}
