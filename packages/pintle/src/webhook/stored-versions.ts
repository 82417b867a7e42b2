import { type Client, Forbidden } from "../client/index.ts";
import { CustomResourceDefinition } from "../kinds/generated/apiextensions/v1.ts";
import type { AnyResource } from "../resource/index.ts";
import { definitionName } from "./facts.ts";
import type { Log } from "./log.ts";

/** Throws when a cluster has objects in a version that nothing leads from: they could never be read again. */
export async function checkStoredVersions(client: Client, resources: readonly AnyResource[], log: Log): Promise<void> {
  for (const resource of resources) {
    const name = definitionName(resource);
    try {
      const { status } = (await client.find(CustomResourceDefinition, { name })) ?? {};
      const known = resource.crd().spec.versions.map((version) => version.name);
      const lost = (status?.storedVersions ?? []).filter((version) => !known.includes(version));
      if (lost.length > 0)
        throw new Error(
          `${resource.kind}: objects are stored as ${lost.join(", ")}, and nothing converts from there: chain .older({ version: "${lost[0]}", ... }), or run \`pintle migrate ${name}\` with a release that knows it`,
        );
    } catch (error) {
      if (!(error instanceof Forbidden)) throw error;
      log.warn("stored versions are not checked: not allowed to read the definition", { definition: name });
    }
  }
}
