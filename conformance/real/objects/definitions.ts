import type { Api } from "./api.ts";

/** The fields of a CustomResourceDefinition that are used here. */
export interface Definition {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly names: { readonly plural: string };
    readonly versions: readonly { readonly name: string; readonly storage: boolean }[];
  };
}

export async function define(server: Api, definition: Definition): Promise<void> {
  await server.apply(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.metadata.name}`, definition);
}

/** Returns true when the server serves its objects. */
export async function isServed(server: Api, { spec: { group, names, versions } }: Definition): Promise<boolean> {
  const stored = versions.find(({ storage }) => storage);
  return (await server.get(`/apis/${group}/${stored?.name}/${names.plural}`)) !== undefined;
}
