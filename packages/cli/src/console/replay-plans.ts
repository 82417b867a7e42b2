import type { PlanStep, ReplayResult } from "@pintle/console/internal/source";
import type { Fact } from "pintle";
import type { Replay } from "pintle/testing";
import { type Project, replayInProject } from "../project/index.ts";

/** Replays a run with the project's present code, as the page shows it. */
export async function replayPlans(project: Project, facts: readonly Fact[], run: string, signal: AbortSignal): Promise<ReplayResult> {
  const [result] = await replayInProject(project, facts, run, signal);
  return { run, passes: (result?.passes ?? []).map(describePass) };
}

function describePass({ pass, incomparable, differences, recorded, replayed }: Replay["passes"][number]): ReplayResult["passes"][number] {
  return {
    pass,
    result: incomparable !== undefined ? "not comparable" : differences.length > 0 ? "differs" : "same",
    text: incomparable ?? differences.join("\n"),
    recorded: recorded.steps.map(describeStep),
    replayed: replayed.steps.map(describeStep),
    recordedError: recorded.error,
    replayedError: replayed.error,
  };
}

function describeStep({
  step,
  verb,
  reason,
  changes = [],
  body,
  kind,
  namespace,
  name,
  uid,
  resourceVersion,
}: Replay["passes"][number]["recorded"]["steps"][number]): PlanStep {
  return {
    step,
    verb,
    object: { kind, namespace, name, uid, resourceVersion },
    reason,
    changes: changes.map(({ path, old, new: now }) => ({
      path,
      ...(old === undefined ? {} : { old }),
      ...(now === undefined ? {} : { new: now }),
    })),
    body,
  };
}
