import type { AnyResource, WebhookClient } from "./resource.ts";

/** The CustomResourceDefinition as the text of its file (`resource.crdFileName`), the same bytes every time. */
export async function crdYaml(
  resource: Pick<AnyResource, "crd">,
  options?: { readonly conversion?: WebhookClient | undefined },
): Promise<string> {
  // By its default export, which is also there when a bundler has taken the package in.
  const { stringify } = (await import("yaml")).default;
  // kubectl reads YAML 1.1, where a bare `on` is a boolean.
  const style = { compat: "yaml-1.1", indentSeq: false, lineWidth: 0, aliasDuplicateObjects: false } as const;
  return `---\n${stringify(resource.crd(options), style)}`;
}
