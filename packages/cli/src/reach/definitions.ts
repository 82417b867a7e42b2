import { type Client, condition, Timeout } from "pintle/client";
import type { JsonObject } from "pintle/kinds";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { CommandError, type Io } from "../command.ts";
import type { Operator } from "../project/index.ts";
import { apply, type Outcome } from "./apply.ts";

const PATIENCE = 30_000;

/** Applies the definitions and waits until the server serves them. */
export async function establish(client: Client, { resources }: Operator, io: Io): Promise<ReadonlyMap<string, Outcome>> {
  const outcomes = new Map<string, Outcome>();
  for (const { crd } of resources) outcomes.set(crd.metadata.name, await apply(client, crd as unknown as JsonObject, io.signal));
  for (const name of outcomes.keys()) {
    try {
      await client.wait(CustomResourceDefinition, { name }, condition("Established"), { timeout: PATIENCE, signal: io.signal });
    } catch (error) {
      if (!(error instanceof Timeout)) throw error;
      const found = await client.get(CustomResourceDefinition, { name }, { signal: io.signal });
      const why = found.status?.conditions?.find(({ status }) => status === "False")?.message ?? "the server does not say why";
      throw new CommandError(`pintle: CustomResourceDefinition ${name} is not established after ${PATIENCE / 1000} s: ${why}`);
    }
  }
  return outcomes;
}
