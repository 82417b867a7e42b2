import { isRecord } from "../input/documents.ts";
import { compareText, definitionRef, type OpenApiSchema } from "../schema.ts";
import type { GroupVersion } from "./group-version.ts";
import { hoistStructs } from "./hoist-structs.ts";
import { OBJECT_META, objectMeta } from "./object-meta.ts";

interface CustomResourceDefinition {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly scope: "Namespaced" | "Cluster";
    readonly names: { readonly kind: string; readonly plural: string };
    readonly versions: readonly {
      readonly name: string;
      readonly served: boolean;
      readonly schema?: { readonly openAPIV3Schema?: OpenApiSchema };
      readonly subresources?: Readonly<Record<string, unknown>>;
    }[];
  };
}

const TEXT: OpenApiSchema = { type: "string" };

/** Returns the served versions of a CustomResourceDefinition, each with its own file: "widgets.example.com/v1". */
export function crdGroupVersions(definition: unknown): readonly GroupVersion[] {
  if (!isCustomResourceDefinition(definition))
    throw new Error(`Not a CustomResourceDefinition of apiextensions.k8s.io/v1: ${describeObject(definition)}`);
  const { group, scope, names, versions } = definition.spec;
  return versions
    .filter((version) => version.served)
    .map((version) => {
      const definitions: Record<string, OpenApiSchema> = { ...objectMeta };
      const schema = version.schema?.openAPIV3Schema ?? { type: "object", "x-kubernetes-preserve-unknown-fields": true };
      const { kind } = names;
      const properties = { ...schema.properties, apiVersion: TEXT, kind: TEXT, metadata: { $ref: definitionRef(OBJECT_META) } };
      const root = hoistStructs({ ...schema, properties }, kind, [`${kind}Desired`, `${kind}Kind`], definitions);
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
            subresources: Object.keys(version.subresources ?? {}).sort(compareText),
          },
        ],
        types: Object.keys(definitions)
          .filter((name) => name !== root && !(name in objectMeta))
          .sort(compareText),
        definitions,
      };
    });
}

function isCustomResourceDefinition(value: unknown): value is CustomResourceDefinition {
  return isRecord(value) && value["kind"] === "CustomResourceDefinition" && value["apiVersion"] === "apiextensions.k8s.io/v1";
}

function describeObject(value: unknown): string {
  return isRecord(value) ? `${String(value["apiVersion"])} ${String(value["kind"])}` : typeof value;
}
