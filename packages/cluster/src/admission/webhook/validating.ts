import type { AdmissionPlugin, AdmissionRequest } from "../../api/index.ts";
import type { Versioned } from "../attributes.ts";
import { judging } from "../configured.ts";
import type { Surroundings } from "../surroundings.ts";
import { ask, viewOf, wanted } from "./ask.ts";
import type { Hook } from "./hook.ts";
import { HookFailure } from "./refusals.ts";

/** Webhooks that only judge: all are asked at once, and of several that refuse the first one is heard. */
export function validatingWebhooks(around: Surroundings, hooks: () => readonly Hook[]): AdmissionPlugin {
  return judging("ValidatingAdmissionWebhook", hooks, (all, request) => askAll(around, all, request));
}

async function askAll(around: Surroundings, hooks: readonly Hook[], request: AdmissionRequest): Promise<void> {
  const view = viewOf(request);
  const concerned: { readonly hook: Hook; readonly seen: Versioned }[] = [];
  for (const hook of hooks) {
    const seen = await wanted(around, hook, request, view);
    if (seen !== undefined) concerned.push({ hook, seen: await view(seen) });
  }
  const refusals = await Promise.all(concerned.map(({ hook, seen }) => refusal(around, hook, request, seen)));
  const first = refusals.find((each) => each !== undefined);
  if (first !== undefined) throw first;
}

async function refusal(around: Surroundings, hook: Hook, request: AdmissionRequest, seen: Versioned): Promise<unknown> {
  try {
    await ask(around, hook, request, seen, false);
    return undefined;
  } catch (error) {
    if (!(error instanceof HookFailure)) return error;
    return hook.failurePolicy === "Ignore" ? undefined : error.refusal;
  }
}
