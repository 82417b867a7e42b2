import { type Client, hasCondition, Timeout } from "pintle/client";
import type { JsonObject } from "pintle/kinds";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { CommandError, type Io } from "../command/index.ts";
import type { OperatorDescription } from "../project/index.ts";
import { type ApplyOutcome, applyObject } from "./apply.ts";

const ESTABLISH_TIMEOUT_MS = 30_000;

/** Applies the CRDs and waits until they are established. */
export async function installCrds(client: Client, { resources }: OperatorDescription, io: Io): Promise<ReadonlyMap<string, ApplyOutcome>> {
  const outcomes = new Map<string, ApplyOutcome>();
  for (const { crd } of resources) {
    try {
      outcomes.set(crd.metadata.name, await applyObject(client, crd as unknown as JsonObject, io.signal));
    } catch (error) {
      throw adviseOnRemovedVersion(error);
    }
  }
  for (const name of outcomes.keys()) {
    try {
      await client.waitFor(CustomResourceDefinition, { name }, hasCondition("Established"), {
        timeout: ESTABLISH_TIMEOUT_MS,
        signal: io.signal,
      });
    } catch (error) {
      if (!(error instanceof Timeout)) throw error;
      const found = await client.get(CustomResourceDefinition, { name }, { signal: io.signal });
      const reason = found.status?.conditions?.find(({ status }) => status === "False")?.message ?? "the API server reports no reason";
      throw new CommandError(
        "PINTLE7058",
        `CustomResourceDefinition ${name} is not established after ${ESTABLISH_TIMEOUT_MS / 1000}s: ${reason}`,
      );
    }
  }
  return outcomes;
}

/** The API server refuses a CRD without a version in which objects may be stored, and does not say what to do. */
function adviseOnRemovedVersion(error: unknown): unknown {
  const [, version] = /[;:] (v\w+) was previously a storage version/.exec(error instanceof CommandError ? error.message : "") ?? [];
  if (version === undefined) return error;
  return new CommandError(
    "PINTLE7056",
    `${(error as CommandError).message}. Keep ${version} beside the new version (.unchangedIn({ version: "${version}" }), or .older({ ... }) if it differs), run 'pintle migrate' before you remove it, or use a new cluster: every 'pintle dev' without --data starts with an empty one`,
  );
}
