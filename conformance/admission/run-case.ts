import { setTimeout as delay } from "node:timers/promises";
import { toComparable } from "../api/comparable.ts";
import type { Target, TargetResponse } from "../api/target.ts";
import { ADMISSION, buildAdmissionObject, type Case, type CaseStep, type WebhookSpec } from "./case.ts";
import type { HookServer } from "./hook-server.ts";

const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const CONFIGURATIONS = { mutating: "mutatingwebhookconfigurations", validating: "validatingwebhookconfigurations" } as const;
const KINDS = { mutating: "MutatingWebhookConfiguration", validating: "ValidatingWebhookConfiguration" } as const;

/** One of the two servers; its name is part of the webhook paths. */
export interface ServerUnderTest {
  readonly name: string;
  readonly target: Target;
}

export interface CaseOutcome {
  readonly responses: readonly unknown[];
  readonly reviews: readonly unknown[];
}

/** The namespace of a case, by its index. */
export const namespaceOf = (index: number) => `case-${index}`;

/** Creates the configuration of all cases and waits until it is active. */
export async function prepareCases(player: ServerUnderTest, cases: readonly Case[], hooks: HookServer): Promise<void> {
  await runConcurrently(cases, (each, index) => configure(player, each, index, hooks));
  await waitUntilActive(player, hooks);
}

async function configure({ name, target }: ServerUnderTest, each: Case, index: number, hooks: HookServer): Promise<void> {
  const namespace = namespaceOf(index);
  const { labels, annotations } = each;
  const metadata = { name: namespace, ...(labels && { labels }), ...(annotations && { annotations }) };
  await createObject(target, "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata });
  for (const [path, object] of each.objects ?? [])
    await createObject(target, fillNamespace(path, namespace), fillNamespaceIn(object, namespace));
  for (const configuration of buildConfigurations(each, index, name, hooks)) await createObject(target, ...configuration);
  if (each.conversion !== undefined) await createObject(target, CRDS, buildConvertedCrd(each.conversion, index, name, hooks));
}

/** Number of cases that run at a time; cases are independent of each other. */
const CONCURRENCY = 8;

export async function runConcurrently<T>(all: readonly T[], run: (each: T, index: number) => Promise<void>): Promise<void> {
  const workers = Array.from({ length: CONCURRENCY }, async (_, worker) => {
    for (const [index, each] of all.entries()) if (index % CONCURRENCY === worker) await run(each, index);
  });
  await Promise.all(workers);
}

function buildConvertedCrd(
  { crd, does, at = "" }: NonNullable<Case["conversion"]>,
  index: number,
  server: string,
  hooks: HookServer,
): object {
  const path = `/${server}/${index}/convert`;
  hooks.setHandler(path, does);
  const clientConfig = { url: at === "closed-port" ? `https://127.0.0.1:1${path}` : hooks.url + path, caBundle: hooks.caBundle };
  const conversion = { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1"] } };
  const { spec, ...rest } = fillNamespaceIn(crd, namespaceOf(index)) as typeof crd;
  return { ...rest, spec: { ...spec, conversion } };
}

async function createObject(target: Target, path: string, object: object): Promise<void> {
  const { status, body } = await target.send("POST", path, object);
  if (status !== 201) throw new Error(`POST ${path}: ${JSON.stringify(object)}: ${JSON.stringify(body)}`);
}

const fillNamespace = (path: string, namespace: string) => path.replaceAll("NS", namespace);
const fillNamespaceIn = (object: object, namespace: string) => JSON.parse(JSON.stringify(object).replaceAll("NS", namespace)) as object;

function buildConfigurations({ hooks: all = [] }: Case, index: number, server: string, hooks: HookServer) {
  const sets = new Map<string, WebhookSpec[]>();
  for (const hook of all) {
    const id = `${hook.type}/${hook.in ?? "a"}`;
    sets.set(id, [...(sets.get(id) ?? []), hook]);
  }
  return [...sets.values()].map((set) => {
    const [{ type, in: place = "a" }] = set as [WebhookSpec];
    const object = buildAdmissionObject(KINDS[type], `case-${String(index).padStart(3, "0")}-${place}`, {
      webhooks: set.map((hook) => buildWebhook(hook, index, server, hooks)),
    });
    return [`${ADMISSION}/${CONFIGURATIONS[type]}`, object] as const;
  });
}

function buildWebhook(
  { type, name = "m", fields: more = {}, handler, at = "", in: place = "a" }: WebhookSpec,
  index: number,
  server: string,
  hooks: HookServer,
) {
  const path = `/${server}/${index}/${type}-${place}-${name}`;
  hooks.setHandler(path, handler);
  const caBundle = at === "untrusted" ? hooks.otherCaBundle : hooks.caBundle;
  const clientConfig =
    at === "service"
      ? { service: { namespace: namespaceOf(index), name: "absent", path }, caBundle }
      : { url: at === "closed-port" ? `https://127.0.0.1:1${path}` : hooks.url + path, caBundle };
  return {
    name: `${name}.example.com`,
    clientConfig,
    namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespaceOf(index) } },
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    ...fillNamespaceIn(more, namespaceOf(index)),
  };
}

/** Polls until the configuration created last is active: then all earlier ones are, too. */
async function waitUntilActive({ name, target }: ServerUnderTest, hooks: HookServer): Promise<void> {
  const path = `/${name}/ready`;
  hooks.setHandler(path, (review) => ({
    json: { apiVersion: review.apiVersion, kind: review.kind, response: { uid: review.request.uid, allowed: false } },
  }));
  const rules = [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }];
  for (const type of ["mutating", "validating"] as const) {
    const objectSelector = { matchLabels: { ready: type } };
    const clientConfig = { url: hooks.url + path, caBundle: hooks.caBundle };
    const hook = { name: "ready.example.com", clientConfig, rules, objectSelector, sideEffects: "None", admissionReviewVersions: ["v1"] };
    await createObject(target, `${ADMISSION}/${CONFIGURATIONS[type]}`, buildAdmissionObject(KINDS[type], "ready", { webhooks: [hook] }));
    await waitForRefusal(target, type);
  }
  await waitForPolicy(target, rules);
  await waitForMutation(target, rules);
}

async function waitForPolicy(target: Target, resourceRules: readonly object[]): Promise<void> {
  const objectSelector = { matchLabels: { ready: "policy" } };
  await createBoundPolicy(
    target,
    "Validating",
    { matchConstraints: { resourceRules, objectSelector }, validations: [{ expression: "false" }] },
    { validationActions: ["Deny"] },
  );
  await waitForRefusal(target, "policy");
}

async function waitForMutation(target: Target, resourceRules: readonly object[]): Promise<void> {
  const objectSelector = { matchLabels: { ready: "mutation" } };
  const expression = 'Object{metadata: Object.metadata{annotations: {"ready": "yes"}}}';
  const mutations = [{ patchType: "ApplyConfiguration", applyConfiguration: { expression } }];
  await createBoundPolicy(
    target,
    "Mutating",
    { reinvocationPolicy: "Never", matchConstraints: { resourceRules, objectSelector }, mutations },
    {},
  );
  while ((await sendProbe(target, "mutation")).body.metadata?.annotations?.ready !== "yes") await delay(20);
}

async function createBoundPolicy(target: Target, type: "Validating" | "Mutating", policy: object, binding: object): Promise<void> {
  const plural = `${type.toLowerCase()}admissionpolic`;
  const admissionObject = (kind: string, spec: object) => buildAdmissionObject(kind, "ready", { spec });
  await createObject(target, `${ADMISSION}/${plural}ies`, admissionObject(`${type}AdmissionPolicy`, policy));
  await createObject(
    target,
    `${ADMISSION}/${plural}ybindings`,
    admissionObject(`${type}AdmissionPolicyBinding`, { policyName: "ready", ...binding }),
  );
}

async function waitForRefusal(target: Target, label: string): Promise<void> {
  while ((await sendProbe(target, label)).status < 400) await delay(20);
}

function sendProbe(target: Target, label: string): Promise<TargetResponse> {
  const probe = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "probe", labels: { ready: label } } };
  return target.send("POST", "/api/v1/namespaces/default/configmaps?dryRun=All", probe);
}

/** Sends the requests of a case and collects responses and reviews. */
export async function runCase({ name, target }: ServerUnderTest, each: Case, index: number, hooks: HookServer): Promise<CaseOutcome> {
  const namespace = namespaceOf(index);
  const responses: TargetResponse[] = [];
  for (const step of each.steps) {
    const [method, path, body, headers] = resolveStep(step, responses);
    const sent = body === undefined ? undefined : fillNamespaceIn(body as object, namespace);
    responses.push(
      await sendWithRetry(
        target,
        method,
        fillNamespace(path, namespace),
        sent,
        headers && (fillNamespaceIn(headers, namespace) as typeof headers),
      ),
    );
  }
  const reviews = each.reviews ? hooks.reviews(`/${name}/${index}/`) : [];
  return { responses: responses.map((answer) => normalize(answer, name)), reviews: reviews.map((review) => normalize(review, name)) };
}

/** Repeats a request while the storage of a new kind is initializing. */
async function sendWithRetry(target: Target, ...request: Parameters<Target["send"]>): Promise<TargetResponse> {
  for (;;) {
    const answer = await target.send(...request);
    if (answer.status !== 429 || answer.body.message !== "storage is (re)initializing") return answer;
    await delay(50);
  }
}

function resolveStep(step: CaseStep, responses: readonly TargetResponse[]) {
  return typeof step === "function" ? step(responses) : step;
}

const UID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Removes server-specific values. */
function normalize(value: unknown, server: string): unknown {
  const text = JSON.stringify(value).replaceAll(`/${server}/`, "/SERVER/").replaceAll(UID, "UID");
  return toComparable(
    JSON.parse(text, (key, part) => (key === "extra" ? undefined : part?.kind === "Scale" ? withoutManagedFields(part) : part)),
  );
}

/** Removes the managedFields of a Scale: only the real server returns them there; they are compared on the scaled object. */
function withoutManagedFields({ metadata, ...rest }: any): unknown {
  const { managedFields: _managed, ...kept } = metadata ?? {};
  return { ...rest, ...(metadata === undefined ? {} : { metadata: kept }) };
}
