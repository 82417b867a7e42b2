import { setTimeout as delay } from "node:timers/promises";
import { comparable } from "../api/comparable.ts";
import type { Answer, Target } from "../api/target.ts";
import { ADMISSION, type Case, configuring, type HookOf, type Step } from "./case.ts";
import type { HookServer } from "./hook-server.ts";

const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const CONFIGURATIONS = { mutating: "mutatingwebhookconfigurations", validating: "validatingwebhookconfigurations" } as const;
const KINDS = { mutating: "MutatingWebhookConfiguration", validating: "ValidatingWebhookConfiguration" } as const;

/** One of the two servers, with the name by which webhooks tell them apart. */
export interface Player {
  readonly name: string;
  readonly target: Target;
}

export interface Outcome {
  readonly answers: readonly unknown[];
  readonly reviews: readonly unknown[];
}

/** The namespace of a case; its place in the table keeps it apart from all others. */
export const namespaceOf = (index: number) => `case-${index}`;

/** Configures everything that cases need, and waits until it is in force. */
export async function prepare(player: Player, cases: readonly Case[], hooks: HookServer): Promise<void> {
  await inLanes(cases, (each, index) => configure(player, each, index, hooks));
  await inForce(player, hooks);
}

async function configure({ name, target }: Player, each: Case, index: number, hooks: HookServer): Promise<void> {
  const namespace = namespaceOf(index);
  const { labels, annotations } = each;
  const metadata = { name: namespace, ...(labels && { labels }), ...(annotations && { annotations }) };
  await made(target, "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata });
  for (const [path, object] of each.objects ?? []) await made(target, placed(path, namespace), named(object, namespace));
  for (const configuration of configurationsOf(each, index, name, hooks)) await made(target, ...configuration);
  if (each.converts !== undefined) await made(target, CRDS, convertedCrd(each.converts, index, name, hooks));
}

/** So many at a time: cases do not meet. */
const LANES = 8;

export async function inLanes<T>(all: readonly T[], run: (each: T, index: number) => Promise<void>): Promise<void> {
  const lanes = Array.from({ length: LANES }, async (_, lane) => {
    for (const [index, each] of all.entries()) if (index % LANES === lane) await run(each, index);
  });
  await Promise.all(lanes);
}

function convertedCrd({ crd, does, at = "" }: NonNullable<Case["converts"]>, index: number, server: string, hooks: HookServer): object {
  const path = `/${server}/${index}/convert`;
  hooks.program(path, does);
  const clientConfig = { url: at === "nowhere" ? `https://127.0.0.1:1${path}` : hooks.url + path, caBundle: hooks.caBundle };
  const conversion = { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1"] } };
  const { spec, ...rest } = named(crd, namespaceOf(index)) as typeof crd;
  return { ...rest, spec: { ...spec, conversion } };
}

async function made(target: Target, path: string, object: object): Promise<void> {
  const { status, body } = await target.send("POST", path, object);
  if (status !== 201) throw new Error(`POST ${path}: ${JSON.stringify(object)}: ${JSON.stringify(body)}`);
}

const placed = (path: string, namespace: string) => path.replaceAll("NS", namespace);
const named = (object: object, namespace: string) => JSON.parse(JSON.stringify(object).replaceAll("NS", namespace)) as object;

function configurationsOf({ hooks: all = [] }: Case, index: number, server: string, hooks: HookServer) {
  const sets = new Map<string, HookOf[]>();
  for (const hook of all) {
    const id = `${hook.type}/${hook.in ?? "a"}`;
    sets.set(id, [...(sets.get(id) ?? []), hook]);
  }
  return [...sets.values()].map((set) => {
    const [{ type, in: place = "a" }] = set as [HookOf];
    const object = configuring(KINDS[type], `case-${String(index).padStart(3, "0")}-${place}`, {
      webhooks: set.map((hook) => webhook(hook, index, server, hooks)),
    });
    return [`${ADMISSION}/${CONFIGURATIONS[type]}`, object] as const;
  });
}

function webhook(
  { type, name = "m", with: more = {}, does, at = "", in: place = "a" }: HookOf,
  index: number,
  server: string,
  hooks: HookServer,
) {
  const path = `/${server}/${index}/${type}-${place}-${name}`;
  hooks.program(path, does);
  const caBundle = at === "stranger" ? hooks.otherCaBundle : hooks.caBundle;
  const clientConfig =
    at === "service"
      ? { service: { namespace: namespaceOf(index), name: "absent", path }, caBundle }
      : { url: at === "nowhere" ? `https://127.0.0.1:1${path}` : hooks.url + path, caBundle };
  return {
    name: `${name}.example.com`,
    clientConfig,
    namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespaceOf(index) } },
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    ...named(more, namespaceOf(index)),
  };
}

/** Asks until the last that was configured has its effect: then all before it have theirs. */
async function inForce({ name, target }: Player, hooks: HookServer): Promise<void> {
  const path = `/${name}/ready`;
  hooks.program(path, (review) => ({
    json: { apiVersion: review.apiVersion, kind: review.kind, response: { uid: review.request.uid, allowed: false } },
  }));
  const rules = [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }];
  for (const type of ["mutating", "validating"] as const) {
    const objectSelector = { matchLabels: { ready: type } };
    const clientConfig = { url: hooks.url + path, caBundle: hooks.caBundle };
    const hook = { name: "ready.example.com", clientConfig, rules, objectSelector, sideEffects: "None", admissionReviewVersions: ["v1"] };
    await made(target, `${ADMISSION}/${CONFIGURATIONS[type]}`, configuring(KINDS[type], "ready", { webhooks: [hook] }));
    await refused(target, type);
  }
  await policyInForce(target, rules);
  await mutationInForce(target, rules);
}

async function policyInForce(target: Target, resourceRules: readonly object[]): Promise<void> {
  const objectSelector = { matchLabels: { ready: "policy" } };
  await bound(
    target,
    "Validating",
    { matchConstraints: { resourceRules, objectSelector }, validations: [{ expression: "false" }] },
    { validationActions: ["Deny"] },
  );
  await refused(target, "policy");
}

async function mutationInForce(target: Target, resourceRules: readonly object[]): Promise<void> {
  const objectSelector = { matchLabels: { ready: "mutation" } };
  const expression = 'Object{metadata: Object.metadata{annotations: {"ready": "yes"}}}';
  const mutations = [{ patchType: "ApplyConfiguration", applyConfiguration: { expression } }];
  await bound(target, "Mutating", { reinvocationPolicy: "Never", matchConstraints: { resourceRules, objectSelector }, mutations }, {});
  while ((await probed(target, "mutation")).body.metadata?.annotations?.ready !== "yes") await delay(20);
}

async function bound(target: Target, type: "Validating" | "Mutating", policy: object, binding: object): Promise<void> {
  const plural = `${type.toLowerCase()}admissionpolic`;
  const about = (kind: string, spec: object) => configuring(kind, "ready", { spec });
  await made(target, `${ADMISSION}/${plural}ies`, about(`${type}AdmissionPolicy`, policy));
  await made(target, `${ADMISSION}/${plural}ybindings`, about(`${type}AdmissionPolicyBinding`, { policyName: "ready", ...binding }));
}

async function refused(target: Target, label: string): Promise<void> {
  while ((await probed(target, label)).status < 400) await delay(20);
}

function probed(target: Target, label: string): Promise<Answer> {
  const probe = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "probe", labels: { ready: label } } };
  return target.send("POST", "/api/v1/namespaces/default/configmaps?dryRun=All", probe);
}

/** Does what a case does, and gathers what came of it. */
export async function play({ name, target }: Player, each: Case, index: number, hooks: HookServer): Promise<Outcome> {
  const namespace = namespaceOf(index);
  const answers: Answer[] = [];
  for (const step of each.steps) {
    const [method, path, body, headers] = request(step, answers);
    const sent = body === undefined ? undefined : named(body as object, namespace);
    answers.push(await answered(target, method, placed(path, namespace), sent, headers && (named(headers, namespace) as typeof headers)));
  }
  const reviews = each.reviews ? hooks.reviews(`/${name}/${index}/`) : [];
  return { answers: answers.map((answer) => shown(answer, name)), reviews: reviews.map((review) => shown(review, name)) };
}

/** A real server that has just begun to serve a kind asks for patience. */
async function answered(target: Target, ...request: Parameters<Target["send"]>): Promise<Answer> {
  for (;;) {
    const answer = await target.send(...request);
    if (answer.status !== 429 || answer.body.message !== "storage is (re)initializing") return answer;
    await delay(50);
  }
}

function request(step: Step, answers: readonly Answer[]) {
  return typeof step === "function" ? step(answers) : step;
}

const UID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Without what differs between any two servers. */
function shown(value: unknown, server: string): unknown {
  const text = JSON.stringify(value).replaceAll(`/${server}/`, "/SERVER/").replaceAll(UID, "UID");
  return comparable(JSON.parse(text, (key, part) => (key === "extra" ? undefined : part?.kind === "Scale" ? unmanaged(part) : part)));
}

/** Who owns what in a Scale is told in the object it is of; the real server tells it here too. */
function unmanaged({ metadata, ...rest }: any): unknown {
  const { managedFields: _managed, ...kept } = metadata ?? {};
  return { ...rest, ...(metadata === undefined ? {} : { metadata: kept }) };
}
