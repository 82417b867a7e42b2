import type { Client } from "pintle/client";
import { quoteGoString } from "pintle/internal/go-format";
import type { JsonObject } from "pintle/internal/json";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { checkCrdUpgrade, formatCrdUpgradeProblems } from "../../safety/index.ts";
import { describeError, failure } from "../api/failures.ts";

/** Rejects with the text of operator-controller if a CRD cannot be replaced safely. Also an installation can meet CRDs that exist. */
export async function checkDefinitions(client: Client, objects: readonly JsonObject[]): Promise<void> {
  const problems: string[] = [];
  for (const object of objects) {
    if (object["apiVersion"] !== "apiextensions.k8s.io/v1" || object["kind"] !== "CustomResourceDefinition") continue;
    const { name } = object["metadata"] as { readonly name: string };
    const existing = await client.find(CustomResourceDefinition, { name }).catch((error: unknown) => {
      throw failure(`getting existing resource for CRD ${quoteGoString(name)}: ${describeError(error)}`, error);
    });
    if (existing === undefined) continue;
    const text = formatCrdUpgradeProblems(name, checkCrdUpgrade(existing as unknown as JsonObject, object));
    if (text !== "") problems.push(text);
  }
  if (problems.length > 0) throw failure(problems.join("\n"));
}
