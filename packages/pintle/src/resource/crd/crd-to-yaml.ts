import type { AnyResource, WebhookClientConfig } from "../resource.ts";

/**
 * Returns the CustomResourceDefinition as YAML, the content of the file `resource.crdFileName`. The same resource gives the same bytes.
 *
 * @example
 * ```ts
 * import { writeFile } from "node:fs/promises";
 * import { crdToYaml, defineResource, z } from "pintle";
 *
 * const Thing = defineResource({ group: "example.com", version: "v1", kind: "Thing", spec: z.object({ size: z.int32() }) });
 * await writeFile(Thing.crdFileName, await crdToYaml(Thing));
 * ```
 */
export async function crdToYaml(
  resource: Pick<AnyResource, "crd">,
  options?: { readonly conversion?: WebhookClientConfig | undefined },
): Promise<string> {
  // The default export is available with and without a bundler.
  const { stringify } = (await import("yaml")).default;
  // kubectl reads YAML 1.1, where an unquoted `on` is a boolean.
  const style = { compat: "yaml-1.1", indentSeq: false, lineWidth: 0, aliasDuplicateObjects: false } as const;
  return `---\n${stringify(resource.crd(options), style)}`;
}
