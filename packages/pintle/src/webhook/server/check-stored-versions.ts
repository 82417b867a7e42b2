import { type Client, Forbidden } from "../../client/index.ts";
import { PintleError } from "../../errors/index.ts";
import { CustomResourceDefinition } from "../../kinds/generated/apiextensions/v1.ts";
import type { AnyResource } from "../../resource/index.ts";
import { crdName } from "../configuration/describe-webhooks.ts";
import type { WebhookLog } from "./webhook-log.ts";

/** Throws `PINTLE5003` if objects are stored in a version without a conversion, because they could not be read. */
export async function checkStoredVersions(client: Client, resources: readonly AnyResource[], log: WebhookLog): Promise<void> {
  for (const resource of resources) {
    const name = crdName(resource);
    try {
      const { status } = (await client.find(CustomResourceDefinition, { name })) ?? {};
      const known = resource.crd().spec.versions.map((version) => version.name);
      const unknownVersions = (status?.storedVersions ?? []).filter((version) => !known.includes(version));
      if (unknownVersions.length > 0)
        throw new PintleError(
          "PINTLE5003",
          `${resource.kind}: objects are stored as ${unknownVersions.join(", ")}, and no conversion exists from there: add .older({ version: "${unknownVersions[0]}", ... }), or run \`pintle migrate ${name}\` with a release that has this version`,
        );
    } catch (error) {
      if (!(error instanceof Forbidden)) throw error;
      log.warn("Skipped the check of stored versions: the operator may not read the CustomResourceDefinition", { definition: name });
    }
  }
}
