import type { JsonObject } from "pintle/kinds";
import { equal } from "pintle/merge";
import type { AdmissionPlugin, AdmissionRequest } from "../../api/index.ts";
import { goQuote, internalError } from "../../status/index.ts";
import { unversioned, type Versioned } from "../attributes.ts";
import { changing } from "../configured.ts";
import type { Rounds } from "../rounds.ts";
import { shaped } from "../shaped.ts";
import type { Surroundings } from "../surroundings.ts";
import { ask, viewOf, wanted } from "./ask.ts";
import type { Hook } from "./hook.ts";
import { operationsOf, PatchFailure, patched, UndecodablePatch } from "./patch.ts";
import { HookFailure } from "./refusals.ts";
import type { Verdict } from "./verdict.ts";

/** Webhooks that change objects, one after the other; those that wish it are asked again about what later ones made. */
export function mutatingWebhooks(around: Surroundings, hooks: () => readonly Hook[]): AdmissionPlugin {
  return changing("MutatingAdmissionWebhook", hooks, (all, request, rounds) => askAll(around, all, request, rounds));
}

async function askAll(
  around: Surroundings,
  hooks: readonly Hook[],
  request: AdmissionRequest,
  rounds: Rounds,
): Promise<JsonObject | undefined> {
  const { reinvocation } = request;
  rounds.begin(reinvocation, request.object);
  let current = request;
  let view = viewOf(current);
  for (const hook of hooks) {
    const seen = await wanted(around, hook, current, view);
    if (seen === undefined || !rounds.isDue(hook.id, reinvocation)) continue;
    const next = await answered(around, hook, current, await view(seen));
    if (next !== undefined) {
      const object = await unversioned(request, seen, next);
      if (!equal(object, current.object)) {
        rounds.changed();
        reinvocation.wanted = true;
      }
      current = { ...request, object };
      view = viewOf(current);
    }
    if (hook.reinvocationPolicy === "IfNeeded") rounds.asked(hook.id);
  }
  rounds.end(current.object);
  return current.object === request.object ? undefined : current.object;
}

/** What the webhook makes of the object; undefined when it leaves it alone, or failed and may. */
async function answered(around: Surroundings, hook: Hook, request: AdmissionRequest, seen: Versioned): Promise<JsonObject | undefined> {
  try {
    return changed(hook, request, seen, await ask(around, hook, request, seen, true));
  } catch (error) {
    if (!(error instanceof HookFailure)) throw error;
    if (hook.failurePolicy === "Fail") throw error.refusal;
    return undefined;
  }
}

function changed(hook: Hook, request: AdmissionRequest, seen: Versioned, { patch, patchType }: Verdict): JsonObject | undefined {
  if (patch === "") return undefined;
  try {
    const operations = operationsOf(patch);
    if (operations.length === 0) return undefined;
    if (seen.object === undefined) {
      const why = "attempted to modify the object, which is not supported for this operation";
      throw internalError(`admission webhook ${goQuote(hook.name)} ${why}`);
    }
    if (patchType !== "JSONPatch") throw new HookFailure(hook, `unsupported patch type ${goQuote(patchType)}`);
    return shaped(request, seen, patched(seen.object, operations));
  } catch (error) {
    if (error instanceof UndecodablePatch) throw new HookFailure(hook, `received undecodable patch in webhook response: ${error.message}`);
    throw error instanceof PatchFailure ? internalError(error.message) : error;
  }
}
