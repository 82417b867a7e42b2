import type { AnyResource, WebhookClient } from "./resource.ts";

/** The CustomResourceDefinition as the text of its file (`resource.crdFileName`), the same bytes every time. */
export async function crdYaml(
  resource: Pick<AnyResource, "crd">,
  options?: { readonly conversion?: WebhookClient | undefined },
): Promise<string> {
  const { stringify } = await import("yaml");
  return `---\n${stringify(resource.crd(options), { indentSeq: false, lineWidth: 0, aliasDuplicateObjects: false })}`;
}
