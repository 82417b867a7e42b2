import type { Api } from "./api.ts";

/** What is needed to know of a CustomResourceDefinition. */
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

/** True when its objects can be asked for. */
export async function isServed(server: Api, { spec: { group, names, versions } }: Definition): Promise<boolean> {
  const stored = versions.find(({ storage }) => storage);
  return (await server.get(`/apis/${group}/${stored?.name}/${names.plural}`)) !== undefined;
}
