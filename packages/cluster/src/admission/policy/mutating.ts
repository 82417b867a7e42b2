import type { JsonObject } from "pintle/kinds";
import { equal } from "pintle/merge";
import { type AdmissionPlugin, type AdmissionRequest, metadataOf } from "../../api/index.ts";
import { ApiError, forbidden } from "../../status/index.ts";
import { type Seen, unversioned, versioned } from "../attributes.ts";
import { changing } from "../configured.ts";
import type { Situation } from "../expressions/activation.ts";
import { aggregate } from "../expressions/aggregate.ts";
import type { Rounds } from "../rounds.ts";
import { shaped } from "../shaped.ts";
import type { Surroundings } from "../surroundings.ts";
import { requestFacts } from "../webhook/review.ts";
import type { PolicyHook } from "./hooks.ts";
import { type Matched, matched } from "./matched.ts";
import { type CompiledMutation, type MutatingSpec, MutationFailure, mutated } from "./mutations.ts";
import { namespaceObject } from "./namespace-object.ts";

export type MutatingHook = PolicyHook<MutatingSpec, readonly CompiledMutation[]>;

/** MutatingAdmissionPolicy: changes in CEL, one after the other. */
export function mutatingPolicies(around: Surroundings, hooks: () => readonly MutatingHook[]): AdmissionPlugin {
  return changing("MutatingAdmissionPolicy", hooks, (all, request, rounds) => changeAll(around, all, request, rounds));
}

async function changeAll(
  around: Surroundings,
  hooks: readonly MutatingHook[],
  request: AdmissionRequest,
  rounds: Rounds,
): Promise<JsonObject | undefined> {
  const found = await matched(around, hooks, request);
  if (found.length === 0) return undefined;
  rounds.begin(request.reinvocation, request.object);
  const failures: string[] = [];
  const fail = (hook: MutatingHook, binding: string | undefined, why: string) => {
    const by = binding === undefined ? `policy ${JSON.stringify(hook.name)}` : `policy '${hook.name}' with binding '${binding}'`;
    if (hook.failurePolicy === "Fail") failures.push(`${by} denied request: ${why}`);
  };
  const namespace = await namespaceObject(around.store, request);
  let current = request;
  for (const each of found) {
    if ("problem" in each) fail(each.hook, each.binding?.name, each.problem);
    else {
      for (const params of each.params) {
        const object = await changedBy(around, each, current, { namespace, params }, rounds, (why) =>
          fail(each.hook, each.binding.name, why),
        );
        current = { ...request, object };
      }
    }
  }
  rounds.end(current.object);
  if (failures.length > 0) throw refusal(request, failures);
  return current.object === request.object ? undefined : current.object;
}

/** What one policy, by one binding and with one set of parameters, makes of the object. */
async function changedBy(
  around: Surroundings,
  { hook, binding, seen }: Matched<MutatingHook>,
  request: AdmissionRequest,
  extra: Pick<Situation, "namespace" | "params">,
  rounds: Rounds,
  fail: (why: string) => void,
): Promise<JsonObject | undefined> {
  const { reinvocation } = request;
  const before = await versioned(request, seen);
  const { authorizer } = around;
  const situation = { ...extra, live: before.live, facts: requestFacts(request, seen), user: request.user, authorizer };
  const met = await hook.conditions?.check({ ...situation, object: before.object });
  if (met?.type === "failed") fail(aggregate(met.errors));
  if (met !== undefined && met.type !== "met") return request.object;
  const { name = "", namespace = "" } = extra.params === undefined ? {} : metadataOf(extra.params);
  const id = `${hook.name}/${binding.name}/${namespace}/${name}`;
  if (!rounds.isDue(id, reinvocation)) return request.object;
  const after = await changed(hook, request, seen, situation, before.object, fail);
  if (!equal(after, before.object)) {
    rounds.changed();
    reinvocation.wanted = true;
  }
  if (hook.spec.reinvocationPolicy === "IfNeeded") rounds.asked(id);
  return after === undefined || after === before.object ? request.object : unversioned(request, seen, after);
}

async function changed(
  hook: MutatingHook,
  request: AdmissionRequest,
  seen: Seen,
  situation: Omit<Situation, "object">,
  before: JsonObject | undefined,
  fail: (why: string) => void,
): Promise<JsonObject | undefined> {
  let object = before;
  for (const mutation of hook.compiled) {
    if (object === undefined) return undefined;
    try {
      const made = await mutated(mutation, hook.environment, { ...situation, object }, seen.resource.schema.shape);
      object = shaped(request, { ...seen, object, live: situation.live }, made);
    } catch (error) {
      if (!(error instanceof MutationFailure)) throw error;
      fail(error.message);
    }
  }
  return object;
}

function refusal({ resource, name, object }: AdmissionRequest, failures: readonly string[]): ApiError {
  const { name: given, generateName } = object === undefined ? {} : metadataOf(object);
  const about = forbidden({ group: resource.group, resource: resource.plural }, name || given || generateName || "Unknown", "");
  const reason = failures[0]?.includes("failed to configure") ? "Forbidden" : "Invalid";
  return new ApiError(403, reason, failures[0] as string, { ...about.details, causes: failures.map((message) => ({ message })) });
}
