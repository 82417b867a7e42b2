import { type ResourcePolicyRule, silentLogger, startManager } from "pintle";
import { type Client, connect, createClient, createTransport, loadClusterAccess, type Transport } from "pintle/client";
import { LAST_APPLIED_ANNOTATION } from "pintle/internal/controller";
import { derivePermissions } from "pintle/internal/manager";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { Deployment } from "pintle/kinds/apps/v1";
import { SubjectAccessReview } from "pintle/kinds/authorization/v1";
import { Event, ServiceAccount } from "pintle/kinds/core/v1";
import { PodDisruptionBudget } from "pintle/kinds/policy/v1";
import { ClusterRole, ClusterRoleBinding } from "pintle/kinds/rbac/v1";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Memcached, memcached } from "../../examples/memcached/src/memcached.ts";
import { full, seed } from "../sampling.ts";
import type { AccessServer } from "./server.ts";
import { startEmbeddedServer, startRealServer } from "./servers.ts";

const NAME = "memcached-operator";
const NAMESPACE = "default";
const ACCOUNT = `system:serviceaccount:${NAMESPACE}:${NAME}`;
const within = { timeout: 60_000 };

/** Rights that this test does not exercise, and why the operator has them. */
const UNUSED_RIGHTS = new Set([
  // Granted together with list: `client.get` in a reconcile needs it.
  "get pods",
  "get deployments",
  "get memcacheds",
  "get poddisruptionbudgets",
  // Used to replace a memcached server that hangs: tested by conformance/memcached with real servers.
  "delete pods",
  // Used to count repeated Events in a series.
  "patch events",
]);
/** Only checked where OwnerReferencesPermissionEnforcement is enabled, as on the real server here. */
const ENFORCEMENT_RIGHT = "update memcacheds/finalizers";

interface Right {
  readonly verb: string;
  readonly rule: ResourcePolicyRule;
  /** "patch memcacheds/status" */
  readonly name: string;
}
const derived = derivePermissions([memcached]).watchedNamespaces;
const rights: readonly Right[] = derived.flatMap((rule) =>
  rule.verbs.map((verb) => ({ verb, rule, name: `${verb} ${rule.resources[0]}` })),
);

describe.each([
  {
    name: "a real kube-apiserver",
    enforced: true,
    begin: () => startRealServer({}, { controllerManager: true, enableAdmissionPlugins: ["OwnerReferencesPermissionEnforcement"] }),
  },
  { name: "the embedded cluster", enforced: false, begin: () => startEmbeddedServer({}, { without: [] }) },
])("the Memcached operator as its ServiceAccount on $name", ({ begin, enforced }) => {
  let server: AccessServer;
  let admin: Client;
  let runs = 0;
  beforeAll(async () => {
    server = await begin();
    admin = await connect({ kubeconfig: server.kubeconfig, onWarning: () => {} });
    const crd = await admin.create(CustomResourceDefinition, Memcached.crd() as never);
    await admin.waitFor(CustomResourceDefinition, crd.metadata, isEstablished, within);
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

  test("is refused no request with the derived rules", async () => {
    await grantRules(derived);
    const { refused, outcome } = await runOperator(exerciseOperator);
    expect([outcome, refused]).toEqual(["done", []]);
  });

  const used = rights.filter(({ name }) => !UNUSED_RIGHTS.has(name) && (enforced || name !== ENFORCEMENT_RIGHT));
  // A sample run takes a third of the rights, others with another seed.
  const lacking = full ? used : used.filter((_, index) => index % 3 === seed % 3);
  test.each(lacking)("is refused a request without the right to $name", async (right) => {
    await grantRules(rulesWithout(right), right);
    const { refused, outcome } = await runOperator(exerciseOperator);
    const [resource = "", subresource] = right.rule.resources[0].split("/");
    const what =
      right.name === ENFORCEMENT_RIGHT
        ? "cannot set blockOwnerDeletion"
        : `User "${ACCOUNT}" cannot ${right.verb} resource "${subresource === undefined ? resource : `${resource}/${subresource}`}"`;
    expect(outcome).toBe("refused");
    expect(refused[0]).toContain(what);
  });

  /** Grants the operator these rules and waits until the authorizer applies them. */
  async function grantRules(held: readonly ResourcePolicyRule[], lacking?: Right): Promise<void> {
    await admin.apply(ClusterRole, { metadata: { name: NAME }, rules: held } as never, { force: true });
    for (const right of rights) {
      const [resource, subresource] = right.rule.resources[0].split("/");
      const spec = { user: ACCOUNT, resourceAttributes: { verb: right.verb, group: right.rule.apiGroups[0], resource, subresource } };
      const isAllowed = async () => (await admin.create(SubjectAccessReview, { metadata: {}, spec } as never)).status?.allowed;
      await expect.poll(isAllowed, within).toBe(right.name !== lacking?.name);
    }
  }

  /** Runs the operator with a token of its ServiceAccount until the scenario is done or the server refuses a request. */
  async function runOperator(
    scenario: (admin: Client, name: string, signal: AbortSignal) => Promise<void>,
  ): Promise<{ outcome: string; refused: string[] }> {
    const { body } = await server.send({
      method: "POST",
      path: `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/${NAME}/token`,
      body: {},
    });
    const at = await loadClusterAccess({ kubeconfig: server.kubeconfig });
    const refused: string[] = [];
    const { transport, refusal } = recordRefusals(await createTransport({ ...at, user: { token: body.status.token } }), refused);
    const manager = startManager({
      controllers: [memcached],
      client: createClient(transport, { onWarning: () => {} }),
      logger: silentLogger,
    });
    const finished = new AbortController();
    try {
      const name = `cache-${++runs}`;
      const outcome = await Promise.race([scenario(admin, name, finished.signal).then(() => "done"), refusal.then(() => "refused")]);
      return { outcome, refused };
    } finally {
      finished.abort();
      await manager.stop();
      await transport.close();
    }
  }
});

/** Exercises the operator: it creates a Deployment and a PodDisruptionBudget, watches them, prunes undesired ones, finalizes and removes its finalizer. */
async function exerciseOperator(admin: Client, name: string, signal: AbortSignal): Promise<void> {
  const within = { timeout: 60_000, signal };
  const ref = { name, namespace: NAMESPACE };
  const { metadata } = await admin.apply(Memcached, { metadata: ref, spec: { size: 1 } });
  await admin.waitFor(Memcached, ref, (it) => it.status?.nodes?.length === 1, within);
  const former = { name: `${name}-former`, namespace: NAMESPACE };
  const owner = { apiVersion: "cache.example.com/v1", kind: "Memcached", name, uid: metadata.uid, controller: true };
  const labels = { app: former.name };
  const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "main" }] } };
  const ours = { ...former, ownerReferences: [owner], annotations: { [LAST_APPLIED_ANNOTATION]: `${memcached.name} x` } };
  const selector = { matchLabels: labels };
  await admin.create(Deployment, { metadata: ours, spec: { replicas: 0, selector, template } });
  await admin.create(PodDisruptionBudget, { metadata: ours, spec: { maxUnavailable: 1, selector } });
  await admin.waitForDeletion(Deployment, former, within);
  await admin.waitForDeletion(PodDisruptionBudget, former, within);
  await admin.patch(Memcached, ref, { merge: { spec: { size: 2 } } });
  await admin.waitFor(Memcached, ref, (it) => it.status?.nodes?.length === 2, within);
  await admin.delete(Memcached, ref);
  await admin.waitForDeletion(Memcached, ref, within);
  const until = AbortSignal.any([signal, AbortSignal.timeout(within.timeout)]);
  for await (const { type, object } of admin.watch(Event, { namespace: NAMESPACE, signal: until }))
    if (type !== "BOOKMARK" && object.involvedObject.uid === metadata.uid) return;
}

const isEstablished = (crd: CustomResourceDefinition) =>
  crd.status?.conditions?.some((each) => each.type === "Established" && each.status === "True") ?? false;

function rulesWithout({ verb, rule }: Right): readonly ResourcePolicyRule[] {
  return derived.flatMap((each) => {
    const verbs = each === rule ? each.verbs.filter((one) => one !== verb) : each.verbs;
    return verbs.length === 0 ? [] : [{ ...each, verbs }];
  });
}

/**
 * Wraps a transport and records 403 responses. Makes streaming lists invalid by removing `resourceVersionMatch`, so that
 * the operator uses both list and watch.
 */
function recordRefusals(inner: Transport, refused: string[]): { readonly transport: Transport; readonly refusal: Promise<void> } {
  let notify = () => {};
  const refusal = new Promise<void>((resolve) => {
    notify = resolve;
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
      notify();
      return { ...response, json: async () => status };
    },
  };
  return { transport, refusal };
}
