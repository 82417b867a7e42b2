import { AlreadyExists, type Client } from "pintle/client";
import { ControllerRevision } from "pintle/kinds/apps/v1";
import { MANAGED } from "../managed.ts";
import { historyStep, type RevisionOwner } from "./revisions.ts";

/** The revision of the current template, made or brought to the front where needed; undefined when its name is taken by another. */
export async function keepHistory(
  client: Pick<Client, "create" | "replace">,
  owner: RevisionOwner,
  revisions: readonly ControllerRevision[],
): Promise<ControllerRevision | undefined> {
  const step = historyStep(owner, revisions);
  if (step.type === "known") return step.revision;
  if (step.type === "renumber") return client.replace(ControllerRevision, { ...step.revision, revision: step.to }, MANAGED);
  try {
    return await client.create(ControllerRevision, step.revision, MANAGED);
  } catch (error) {
    if (error instanceof AlreadyExists) return undefined;
    throw error;
  }
}
