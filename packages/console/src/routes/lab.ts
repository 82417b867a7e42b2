import { isJsonObject } from "pintle/internal/json";
import type {
  ActiveFault,
  AdvanceClockRequest,
  FaultRuleJson,
  Fork,
  ForkRequest,
  Lab,
  ReplayRequest,
  ReplayResult,
  RunNowRequest,
} from "../protocol.ts";
import { invalid, notFound, unsupported } from "../source/index.ts";
import type { RouteContext } from "./route-context.ts";

const MAX_STRIKES = 100;
const MAX_ADVANCE_MS = 366 * 24 * 3_600_000;

export function getLab({ view: { source, index } }: RouteContext): Lab {
  return {
    faults: source.actions.faults?.list() ?? [],
    forks: source.actions.forks?.list() ?? [],
    clock: { now: source.now(), virtual: source.virtualClock },
    strikes: index.faults
      .slice(-MAX_STRIKES)
      .reverse()
      .map(({ time, fault, subject, request }) => ({ time, fault, subject, request })),
  };
}

export function addFault({ view: { source }, body }: RouteContext): ActiveFault {
  return required(source.actions.faults, "faults").add(parseRule(body));
}

export function removeFault({ view: { source }, params }: RouteContext): undefined {
  if (!required(source.actions.faults, "faults").remove(params["id"] ?? "")) throw notFound(`There is no fault rule ${params["id"]}.`);
}

const EFFECTS = ["status", "latency", "cut", "drop", "stall", "delay", "duplicate"];
const PATTERNS = new Set([
  "user",
  "verb",
  "group",
  "version",
  "resource",
  "subresource",
  "namespace",
  "name",
  "fieldManager",
  "event",
  "webhook",
  "path",
]);

function parseRule(body: unknown): FaultRuleJson {
  if (!isJsonObject(body) || !isJsonObject(body["do"]))
    throw invalid('A fault rule needs "do": what happens, for example { "status": 409 }.');
  const { on = {}, do: effect, ...frequency } = body;
  if (!EFFECTS.some((name) => Object.hasOwn(effect, name))) throw invalid(`"do" must name one of ${EFFECTS.join(", ")}.`);
  if (!isJsonObject(on)) throw invalid('"on" must be an object of patterns.');
  for (const [name, pattern] of Object.entries(on)) {
    if (!PATTERNS.has(name)) throw invalid(`"on.${name}" is no pattern: use ${[...PATTERNS].join(", ")}.`);
    const isText = typeof pattern === "string" || (Array.isArray(pattern) && pattern.every((each) => typeof each === "string"));
    if (!isText) throw invalid(`"on.${name}" must be a text or a list of texts.`);
  }
  for (const [name, value] of Object.entries(frequency)) {
    if (!["nth", "times", "probability", "seed"].includes(name)) throw invalid(`"${name}" is not part of a fault rule.`);
    if (typeof value !== "number" || !(value >= 0)) throw invalid(`"${name}" must be a number.`);
  }
  return body as unknown as FaultRuleJson;
}

export async function advanceClock({ view: { source }, body }: RouteContext): Promise<{ readonly now: number }> {
  const { milliseconds } = requestOf<AdvanceClockRequest>(body);
  if (typeof milliseconds !== "number" || !(milliseconds > 0 && milliseconds <= MAX_ADVANCE_MS))
    throw invalid("milliseconds must be a number above 0, and at most a year.");
  return { now: await required(source.actions.advanceClock, "clock")(milliseconds) };
}

export function createFork({ view: { source }, body }: RouteContext): Promise<Fork> {
  const { at } = requestOf<ForkRequest>(body);
  if (at !== undefined && !Number.isSafeInteger(at)) throw invalid("at must be a revision.");
  return required(source.actions.forks, "forks").create(at);
}

export async function removeFork({ view: { source }, params }: RouteContext): Promise<undefined> {
  if (!(await required(source.actions.forks, "forks").remove(params["id"] ?? ""))) throw notFound(`There is no fork ${params["id"]}.`);
}

export async function restart({ view: { source } }: RouteContext): Promise<undefined> {
  await required(source.actions.restart, "restart")();
}

export async function replay({ view: { source, index }, body, signal }: RouteContext): Promise<ReplayResult> {
  const { run } = requestOf<ReplayRequest>(body);
  if (typeof run !== "string" || !index.plans.has(run)) throw notFound("The run has no recorded plan that could be replayed.");
  return required(source.actions.replay, "replay")(run, signal);
}

export async function runNow({ view: { source }, body }: RouteContext): Promise<undefined> {
  const { controller, key } = requestOf<RunNowRequest>(body);
  if (typeof controller !== "string" || typeof key !== "string") throw invalid("controller and key are needed.");
  if (!(await required(source.actions.runNow, "run-now")(controller, key))) throw notFound(`${controller} has no key ${key} in its queue.`);
}

export async function saveTrace({ view: { source } }: RouteContext): Promise<Uint8Array> {
  return required(source.actions.saveTrace, "save-trace")();
}

/** The members of a body; each must be checked. */
export function requestOf<T>(body: unknown): { readonly [K in keyof T]?: unknown } & Partial<T> {
  if (!isJsonObject(body)) throw invalid("The body must be a JSON object.");
  return body as Partial<T>;
}

function required<T>(action: T | undefined, name: string): T {
  if (action === undefined) throw unsupported(`This session cannot do it (${name}).`);
  return action;
}
