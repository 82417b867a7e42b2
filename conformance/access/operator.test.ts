import { permissions, RECEIPT, type Rule, silent, start } from "pintle";
import { type Client, clientOver, connect, locate, type Transport, transportTo } from "pintle/client";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { Deployment } from "pintle/kinds/apps/v1";
import { SubjectAccessReview } from "pintle/kinds/authorization/v1";
import { Event, ServiceAccount } from "pintle/kinds/core/v1";
import { PodDisruptionBudget } from "pintle/kinds/policy/v1";
import { ClusterRole, ClusterRoleBinding } from "pintle/kinds/rbac/v1";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Memcached, memcached } from "../../examples/memcached/src/memcached.ts";
import { full, seed } from "../sampling.ts";
import type { Server } from "./server.ts";
import { embeddedServer, realServer } from "./servers.ts";

const NAME = "memcached-operator";
const NAMESPACE = "default";
const ACCOUNT = `system:serviceaccount:${NAMESPACE}:${NAME}`;
const within = { timeout: 60_000 };

/** Rights that this operator never uses, and why it has them. */
const RESERVE = new Set([
  // Whoever may list may read; `client.get` in a reconcile needs it.
  "get pods",
  "get deployments",
  "get memcacheds",
  "get poddisruptionbudgets",
  // A server that hangs is replaced: conformance/memcached shows it, with servers that are real.
  "delete pods",
  // What is said again is counted.
  "patch events",
]);
/** Only asked for where servers enforce blockOwnerDeletion, as the real one here does. */
const ENFORCED = "update memcacheds/finalizers";

interface Right {
  readonly verb: string;
  readonly rule: Rule;
  /** "patch memcacheds/status" */
  readonly name: string;
}
const derived = permissions([memcached]).work;
const rights: readonly Right[] = derived.flatMap((rule) =>
  rule.verbs.map((verb) => ({ verb, rule, name: `${verb} ${rule.resources[0]}` })),
);

describe.each([
  {
    name: "a real kube-apiserver",
    enforced: true,
    begin: () => realServer({}, { controllerManager: true, enableAdmissionPlugins: ["OwnerReferencesPermissionEnforcement"] }),
  },
  { name: "the embedded cluster", enforced: false, begin: () => embeddedServer({}, { without: [] }) },
])("the Memcached operator as its ServiceAccount on $name", ({ begin, enforced }) => {
  let server: Server;
  let admin: Client;
  let told = 0;
  beforeAll(async () => {
    server = await begin();
    admin = await connect({ kubeconfig: server.kubeconfig, onWarning: () => {} });
    const crd = await admin.create(CustomResourceDefinition, Memcached.crd() as never);
    await admin.wait(CustomResourceDefinition, crd.metadata, isEstablished, within);
    await admin.create(ServiceAccount, { metadata: { name: NAME, namespace: NAMESPACE } });
    await admin.create(ClusterRoleBinding, {
      metadata: { name: NAME },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: NAME },
      subjects: [{ kind: "ServiceAccount", name: NAME, namespace: NAMESPACE }],
    });
  });
  afterAll(async () => {
    await admin?.close();
    await server?.stop();
  });

  test("is refused nothing with the rules its declarations give", async () => {
    await granted(derived);
    const { refused, outcome } = await operated(story);
    expect([outcome, refused]).toEqual(["done", []]);
  });

  const used = rights.filter(({ name }) => !RESERVE.has(name) && (enforced || name !== ENFORCED));
  // A sample is a third of them, others every day.
  const lacking = full ? used : used.filter((_, index) => index % 3 === seed % 3);
  test.each(lacking)("cannot do without $name", async (right) => {
    await granted(without(right), right);
    const { refused, outcome } = await operated(story);
    const [resource = "", subresource] = right.rule.resources[0].split("/");
    const what =
      right.name === ENFORCED
        ? "cannot set blockOwnerDeletion"
        : `User "${ACCOUNT}" cannot ${right.verb} resource "${subresource === undefined ? resource : `${resource}/${subresource}`}"`;
    expect(outcome).toBe("refused");
    expect(refused[0]).toContain(what);
  });

  /** Gives the operator these rules, and waits until the server goes by them. */
  async function granted(held: readonly Rule[], lacking?: Right): Promise<void> {
    await admin.apply(ClusterRole, { metadata: { name: NAME }, rules: held } as never, { force: true });
    for (const right of rights) {
      const [resource, subresource] = right.rule.resources[0].split("/");
      const spec = { user: ACCOUNT, resourceAttributes: { verb: right.verb, group: right.rule.apiGroups[0], resource, subresource } };
      const allowed = async () => (await admin.create(SubjectAccessReview, { metadata: {}, spec } as never)).status?.allowed;
      await expect.poll(allowed, within).toBe(right.name !== lacking?.name);
    }
  }

  /** The operator at work, with a token of its ServiceAccount; until the tale is told, or the server refuses something. */
  async function operated(
    tale: (admin: Client, name: string, signal: AbortSignal) => Promise<void>,
  ): Promise<{ outcome: string; refused: string[] }> {
    const { body } = await server.send({
      method: "POST",
      path: `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/${NAME}/token`,
      body: {},
    });
    const at = await locate({ kubeconfig: server.kubeconfig });
    const refused: string[] = [];
    const { transport, refusal } = heard(await transportTo({ ...at, user: { token: body.status.token } }), refused);
    const manager = start({ controllers: [memcached], client: clientOver(transport, { onWarning: () => {} }), logger: silent });
    const enough = new AbortController();
    try {
      const name = `cache-${++told}`;
      const outcome = await Promise.race([tale(admin, name, enough.signal).then(() => "done"), refusal.then(() => "refused")]);
      return { outcome, refused };
    } finally {
      enough.abort();
      await manager.stop();
      await transport.close();
    }
  }
});

/** What the operator does: it makes a Deployment and a budget, follows them, takes away those that it no longer wants, says goodbye, and lets go. */
async function story(admin: Client, name: string, signal: AbortSignal): Promise<void> {
  const within = { timeout: 60_000, signal };
  const ref = { name, namespace: NAMESPACE };
  const { metadata } = await admin.apply(Memcached, { metadata: ref, spec: { size: 1 } });
  await admin.wait(Memcached, ref, (it) => it.status?.nodes?.length === 1, within);
  const former = { name: `${name}-former`, namespace: NAMESPACE };
  const owner = { apiVersion: "cache.example.com/v1", kind: "Memcached", name, uid: metadata.uid, controller: true };
  const labels = { app: former.name };
  const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "main" }] } };
  const ours = { ...former, ownerReferences: [owner], annotations: { [RECEIPT]: `${memcached.name} x` } };
  const selector = { matchLabels: labels };
  await admin.create(Deployment, { metadata: ours, spec: { replicas: 0, selector, template } });
  await admin.create(PodDisruptionBudget, { metadata: ours, spec: { maxUnavailable: 1, selector } });
  await admin.waitGone(Deployment, former, within);
  await admin.waitGone(PodDisruptionBudget, former, within);
  await admin.patch(Memcached, ref, { merge: { spec: { size: 2 } } });
  await admin.wait(Memcached, ref, (it) => it.status?.nodes?.length === 2, within);
  await admin.delete(Memcached, ref);
  await admin.waitGone(Memcached, ref, within);
  const until = AbortSignal.any([signal, AbortSignal.timeout(within.timeout)]);
  for await (const { type, object } of admin.watch(Event, { namespace: NAMESPACE, signal: until }))
    if (type !== "BOOKMARK" && object.involvedObject.uid === metadata.uid) return;
}

const isEstablished = (crd: CustomResourceDefinition) =>
  crd.status?.conditions?.some((each) => each.type === "Established" && each.status === "True") ?? false;

function without({ verb, rule }: Right): readonly Rule[] {
  return derived.flatMap((each) => {
    const verbs = each === rule ? each.verbs.filter((one) => one !== verb) : each.verbs;
    return verbs.length === 0 ? [] : [{ ...each, verbs }];
  });
}

/**
 * The transport, with what was refused. It asks for lists and watches as of a server that cannot stream a list, so that
 * both are used: without the match that goes with it, `sendInitialEvents` is not valid.
 */
function heard(inner: Transport, refused: string[]): { readonly transport: Transport; readonly refusal: Promise<void> } {
  let note = () => {};
  const refusal = new Promise<void>((resolve) => {
    note = resolve;
  });
  const transport: Transport = {
    ...inner,
    async request(request) {
      const { resourceVersionMatch: _, ...query } = request.query ?? {};
      const streamed = request.query?.["sendInitialEvents"] !== undefined;
      const response = await inner.request(streamed ? { ...request, query } : request);
      if (response.status !== 403) return response;
      const status = (await response.json()) as { readonly message: string };
      refused.push(status.message);
      note();
      return { ...response, json: async () => status };
    },
  };
  return { transport, refusal };
}
