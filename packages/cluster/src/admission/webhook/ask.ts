import { type AdmissionRequest, generateUid } from "../../api/index.ts";
import { ApiError, forbidden, internalError } from "../../status/index.ts";
import { type Seen, type Versioned, versioned } from "../attributes.ts";
import { CallFailure } from "../call/failure.ts";
import { aggregate } from "../expressions/aggregate.ts";
import { match } from "../matching/match.ts";
import type { Surroundings } from "../surroundings.ts";
import type { Hook } from "./hook.ts";
import { denied, HookFailure, noDryRun } from "./refusals.ts";
import { requestFacts, review, reviewVersion } from "./review.ts";
import { InvalidAnswer, UndecodableAnswer, type Verdict, verdict } from "./verdict.ts";

const HARMLESS = new Set(["None", "NoneOnDryRun"]);

/** As what the webhook sees the request, or undefined when it is none of its business. Throws what keeps it from being known. */
export async function wanted(around: Surroundings, hook: Hook, request: AdmissionRequest, view: View): Promise<Seen | undefined> {
  const seen = await match(around.store, hook, request);
  if (seen === undefined || hook.conditions === undefined) return seen;
  const objects = await view(seen);
  const { user } = request;
  const found = await hook.conditions.check({ ...objects, facts: requestFacts(request, seen), authorizer: around.authorizer, user });
  if (found.type === "failed") {
    const { group, plural } = request.resource;
    throw forbidden({ group, resource: plural }, request.name, aggregate(found.errors));
  }
  return found.type === "met" ? seen : undefined;
}

/** Shows the objects of a request in the version a webhook wants; each is converted once. */
export type View = (seen: Seen) => Promise<Versioned>;

export function viewOf(request: AdmissionRequest): View {
  const known = new Map<string, Promise<Versioned>>();
  return (seen) => {
    const id = `${seen.kind.group}/${seen.kind.version}/${seen.kind.kind}`;
    const found = known.get(id) ?? converted(request, seen);
    known.set(id, found);
    return found;
  };
}

async function converted(request: AdmissionRequest, seen: Seen): Promise<Versioned> {
  try {
    return await versioned(request, seen);
  } catch (error) {
    throw internalError(error instanceof ApiError ? error.message : String(error));
  }
}

/** Asks a webhook. Throws a HookFailure where it cannot be asked, an ApiError where it says no. */
export async function ask(
  around: Surroundings,
  hook: Hook,
  request: AdmissionRequest,
  seen: Versioned,
  mutating: boolean,
): Promise<Verdict> {
  if (request.dryRun && !HARMLESS.has(hook.sideEffects)) throw noDryRun(hook);
  const version = reviewVersion(hook.reviewVersions);
  if (version === undefined) {
    const why = "could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)";
    throw new HookFailure(hook, why);
  }
  const uid = generateUid(around.jitter);
  const answer = await answerTo(around, hook, request, seen, { version, uid, mutating });
  for (const text of answer.warnings) request.warn(text);
  for (const [key, value] of Object.entries(answer.annotations)) request.annotate(`${hook.name}/${key}`, value);
  if (!answer.allowed) throw denied(hook, answer.result);
  return answer;
}

interface Question {
  readonly version: "v1" | "v1beta1";
  readonly uid: string;
  readonly mutating: boolean;
}

async function answerTo(
  { caller }: Surroundings,
  hook: Hook,
  request: AdmissionRequest,
  seen: Versioned,
  question: Question,
): Promise<Verdict> {
  const { version, uid, mutating } = question;
  try {
    const body = review(version, uid, request, seen);
    return verdict(await caller.post(hook.name, hook.clientConfig, body, hook.timeoutSeconds, request.signal()), version, uid, mutating);
  } catch (error) {
    if (error instanceof CallFailure || error instanceof UndecodableAnswer)
      throw new HookFailure(hook, `failed to call webhook: ${error.message}`);
    if (error instanceof InvalidAnswer) throw new HookFailure(hook, `received invalid webhook response: ${error.message}`);
    throw error;
  }
}
