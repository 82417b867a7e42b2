/** Runs a scaffolded operator as the ServiceAccount of `pintle generate`: no request is refused, and every right is needed. */
import { spawn } from "node:child_process";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { startCluster } from "@pintle/cluster";
import { type Client, connect, loadClusterAccess } from "pintle/client";
import type { JsonObject } from "pintle/kinds";
import { Deployment } from "pintle/kinds/apps/v1";
import { SubjectAccessReview } from "pintle/kinds/authorization/v1";
import { Lease } from "pintle/kinds/coordination/v1";
import { Secret, ServiceAccount } from "pintle/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { main } from "../../packages/cli/src/main.ts";
import { createTestProject } from "../../packages/cli/test/test-project.ts";
import { freePort } from "../image/debian.ts";
import { startControlPlane } from "../real/index.ts";
import { full, seed } from "../sampling.ts";

const ENFORCEMENT_PLUGIN = "OwnerReferencesPermissionEnforcement";
const ACCOUNT = { name: "shop-controller-manager", namespace: "shop-system" };
const USER = `system:serviceaccount:${ACCOUNT.namespace}:${ACCOUNT.name}`;
const BIN = fileURLToPath(new URL("../../packages/cli/src/bin.ts", import.meta.url));

/** The generated rights as "verb resource". A change here changes the rights of every operator. */
const RIGHTS = [
  "create deployments.apps",
  "delete deployments.apps",
  "get deployments.apps",
  "list deployments.apps",
  "patch deployments.apps",
  "watch deployments.apps",
  "get storefronts.shop.example.com",
  "list storefronts.shop.example.com",
  "watch storefronts.shop.example.com",
  "update storefronts/finalizers.shop.example.com",
  "patch storefronts/status.shop.example.com",
  "create events.events.k8s.io",
  "patch events.events.k8s.io",
  "create leases.coordination.k8s.io",
  "get leases.coordination.k8s.io",
  "update leases.coordination.k8s.io",
  "create tokenreviews.authentication.k8s.io",
  "create subjectaccessreviews.authorization.k8s.io",
  "get secrets.",
  "list secrets.",
  "update secrets.",
  "watch secrets.",
];
/**
 * A reconcile function that uses every right: it records an Event and reads the kinds it owns without the cache; the types of
 * `client` allow `get` and `list` of these kinds.
 */
const RECONCILE_SOURCE = `want, event, client }) {
    event("Observed", "was observed");
    await client.list(Storefront, { namespace: "default", limit: 1 });
    await client.list(Deployment, { namespace: "default", limit: 1 });
    await client.get(Storefront, object.metadata);
    await client.find(Deployment, object.metadata);`;

/** The only objects of a resource that the operator has rights for: the Lease of its controller, and the Secret of its metrics endpoint. */
const NAMED: Readonly<Record<string, string>> = { leases: "storefront", secrets: "shop-metrics-certificates" };

interface Role extends JsonObject {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly rules: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly verbs: readonly string[];
  }[];
}
const listRights = ({ rules }: Role) =>
  rules.flatMap(({ apiGroups, resources, verbs }) =>
    resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}.${apiGroups[0]}`)),
  );
const roleWithout = (role: Role, right: string): Role => ({
  ...role,
  rules: role.rules
    .flatMap((rule) => rule.resources.map((resource) => ({ ...rule, resources: [resource] })))
    .map((rule) => ({ ...rule, verbs: rule.verbs.filter((verb) => `${verb} ${rule.resources[0]}.${rule.apiGroups[0]}` !== right) }))
    .filter(({ verbs }) => verbs.length > 0),
});

const servers = [
  {
    name: "the embedded cluster",
    async start() {
      const cluster = await startCluster({ http: true, admissionPlugins: { enable: [ENFORCEMENT_PLUGIN] } });
      return { text: cluster.kubeconfig, stop: () => cluster.stop() };
    },
  },
  {
    name: "a real control plane",
    async start() {
      const plane = await startControlPlane({
        controllerManager: true,
        scheduler: true,
        nodes: 1,
        enableAdmissionPlugins: [ENFORCEMENT_PLUGIN],
      });
      return { file: plane.kubeconfig, stop: () => plane.stop() };
    },
  },
].filter((_, i) => full || i === (seed + 1) % 2);

describe.each(servers)("on $name", ({ start }) => {
  const here = createTestProject();
  const project = path.join(here.root, "shop");
  let stop: () => Promise<void> = async () => {};
  let admin: Client;
  let roles: readonly Role[];
  let metrics: string;
  beforeAll(async () => {
    const io = { out: () => {}, err: (text: string) => console.error(text), tty: false, signal: AbortSignal.timeout(60_000) };
    expect(await main(["init", "shop", "--kind", "Storefront", "--domain", "shop.example.com", "--yes"], { ...io, cwd: here.root })).toBe(
      0,
    );
    const source = here.read("shop/src/storefront.ts");
    here.write("shop/src/storefront.ts", source.replace("  reconcile(", "  async reconcile(").replace("want }) {", RECONCILE_SOURCE));
    expect(await main(["generate"], { ...io, cwd: project })).toBe(0);
    const server = await start();
    stop = server.stop;
    const kubeconfig = "file" in server ? server.file : path.join(here.root, "admin");
    if ("text" in server) here.write("admin", server.text);
    admin = await connect({ kubeconfig });
    const objects = parseAllDocuments(here.read("shop/dist/install.yaml")).map((each) => each.toJS() as Role);
    for (const object of objects.filter(({ kind }) => kind !== "Deployment" && kind !== "Service")) await apply(admin, object);
    roles = objects.filter(
      ({ kind, metadata }) =>
        kind.endsWith("Role") && /-(manager|leader-election|metrics-auth|metrics-certificates)-role$/.test(metadata.name),
    );
    const access = await loadClusterAccess({ kubeconfig });
    const { token } = await admin.createToken(ServiceAccount, ACCOUNT, { expirationSeconds: 3600 });
    const ca = access.ca?.data ?? "";
    here.write(
      "account",
      JSON.stringify({
        apiVersion: "v1",
        kind: "Config",
        "current-context": "a",
        clusters: [{ name: "a", cluster: { server: access.server, "certificate-authority-data": Buffer.from(ca).toString("base64") } }],
        users: [{ name: "a", user: { token } }],
        contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
      }),
    );
    // A user who may read metrics.
    await apply(admin, { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "reader", namespace: "default" } });
    await apply(admin, {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: "reader" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "shop-metrics-reader" },
      subjects: [{ kind: "ServiceAccount", name: "reader", namespace: "default" }],
    });
    metrics = (await admin.createToken(ServiceAccount, { name: "reader", namespace: "default" })).token;
  });
  afterAll(async () => {
    await admin?.close();
    await stop();
    here[Symbol.dispose]();
  });

  test("generates exactly these rights", () => {
    expect(roles.flatMap(listRights).sort()).toEqual([...RIGHTS].sort());
  });

  test("is refused no request with all rights", async () => {
    await grantRights(undefined);
    expect(await runOperator()).toEqual({ outcome: "done", refused: [] });
  });

  // Lists of a server that cannot start a watch with the objects; these servers can.
  const needed = RIGHTS.filter((right) => right !== "list secrets.");
  const lacking = full ? needed : needed.filter((_, i) => i === seed % needed.length);
  test.each(lacking)("without %s it does not work", async (right) => {
    await grantRights(right);
    const { outcome, refused } = await runOperator();
    await grantRights(undefined);
    expect({ outcome, refused: refused.length > 0 || outcome === "stuck" }).toMatchObject({ refused: true });
  });

  /** Grants all rights except one and waits until the authorizer applies them. */
  async function grantRights(lacking: string | undefined): Promise<void> {
    for (const role of roles) await apply(admin, lacking === undefined ? role : roleWithout(role, lacking));
    for (const right of RIGHTS) {
      const [verb, full = ""] = right.split(" ");
      const [, resource, subresource, group] = /^([a-z]+)(?:\/([a-z]+))?\.(.*)$/.exec(full)!;
      // A create request has no name.
      const name = resource! in NAMED && verb !== "create" ? { name: NAMED[resource!] } : {};
      const spec = { user: USER, resourceAttributes: { verb, group, resource, subresource, namespace: ACCOUNT.namespace, ...name } };
      const isAllowed = async () => (await admin.create(SubjectAccessReview, { metadata: {}, spec } as never)).status?.allowed === true;
      while ((await isAllowed()) !== (right !== lacking)) await delay(50);
    }
  }

  /** Runs the operator as a process with all flags and exercises it; ends with the first refused request. */
  async function runOperator(): Promise<{ readonly outcome: string; readonly refused: readonly string[] }> {
    for (const { metadata } of (await admin.list(Lease, { namespace: ACCOUNT.namespace })).items) await admin.delete(Lease, metadata);
    // As installed, so that certificates are issued again.
    await admin.patch(Secret, { name: NAMED["secrets"]!, namespace: ACCOUNT.namespace }, { merge: { data: null } } as never);
    const port = await freePort();
    const flags = [
      "--leader-elect",
      "--metrics-secure",
      "--metrics-name=shop",
      `--metrics-bind-address=127.0.0.1:${port}`,
      "--health-probe-bind-address=0",
    ];
    const args = [
      "--conditions=@pintle/source",
      "--import",
      import.meta.resolve("tsx"),
      BIN,
      "run",
      "--kubeconfig",
      path.join(here.root, "account"),
      "--",
      ...flags,
    ];
    const child = spawn(process.execPath, args, {
      cwd: project,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, POD_NAMESPACE: ACCOUNT.namespace, NODE_TLS_REJECT_UNAUTHORIZED: "1" },
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
    const listRefusals = () => output.split("\n").filter((line) => /is not allowed to|forbidden|cannot set blockOwnerDeletion/i.test(line));
    const finished = new AbortController();
    const ended = new Promise((resolve) => child.once("exit", resolve));
    try {
      const outcome = await Promise.race([
        exerciseOperator(port, finished.signal).then(
          () => "done",
          () => "stuck",
        ),
        (async () => {
          while (listRefusals().length === 0 && child.exitCode === null && !finished.signal.aborted) await delay(50);
          return child.exitCode === null ? "refused" : "ended";
        })(),
      ]);
      return { outcome, refused: listRefusals() };
    } finally {
      finished.abort();
      child.kill("SIGTERM");
      await ended;
    }
  }

  let runs = 0;
  async function exerciseOperator(port: number, signal: AbortSignal): Promise<void> {
    const within = { timeout: 40_000, signal };
    const Storefront = await admin.discoverKind("shop.example.com/v1alpha1", "Storefront");
    const ref = { name: `tale-${++runs}`, namespace: "default" } as never;
    await admin.create(Storefront, { metadata: ref, spec: { replicas: 1 } } as never);
    const status = (field: string, value: number) => (object: Record<string, unknown>) =>
      (object["status"] as JsonObject | undefined)?.[field] === value;
    await admin.waitFor(Storefront, ref, status("ready", 1) as never, within);
    await admin.patch(Storefront, ref, { merge: { spec: { replicas: 2 } } });
    await admin.waitFor(Storefront, ref, status("ready", 2) as never, within);
    // The operator prunes an undesired child: a Deployment with the last-applied annotation.
    const created = await admin.get(Deployment, ref);
    const { resourceVersion: _, uid: __, managedFields: ___, ...metadata } = created.metadata;
    const former = { name: `${created.metadata.name}-former`, namespace: "default" };
    await admin.create(Deployment, { metadata: { ...metadata, ...former }, spec: created.spec } as never);
    await admin.waitForDeletion(Deployment, former, within);
    // Repeated Events are counted in the series of the existing one.
    const Event = await admin.discoverKind("events.k8s.io/v1", "Event");
    for (;;) {
      signal.throwIfAborted();
      const { items } = await admin.list(Event, { namespace: "default" });
      if (items.some((event) => JSON.stringify(event["regarding"]).includes(`"tale-${runs}"`) && event["series"] !== undefined)) break;
      await delay(100);
    }
    const [lease] = (await admin.list(Lease, { namespace: ACCOUNT.namespace })).items;
    await admin.waitFor(Lease, lease!.metadata, ({ spec }) => spec?.renewTime !== lease!.spec?.renewTime, within);
    const { request } = await import("node:https");
    // What the ServiceMonitor tells Prometheus to verify.
    const secret = await admin.get(Secret, { name: NAMED["secrets"]!, namespace: ACCOUNT.namespace });
    const ca = Buffer.from(secret.data?.["ca.crt"] ?? "", "base64").toString();
    const code = await new Promise((resolve, reject) =>
      request(
        `https://127.0.0.1:${port}/metrics`,
        { ca, servername: "shop-controller-manager-metrics-service.shop-system.svc", headers: { authorization: `Bearer ${metrics}` } },
        (answer) => resolve(answer.resume().statusCode),
      )
        .on("error", reject)
        .end(),
    );
    if (code !== 200) throw new Error(`metrics returned ${code}`);
    await admin.delete(Storefront, ref);
  }
});

async function apply(admin: Client, object: JsonObject): Promise<void> {
  const kind = await admin.discoverKind(String(object["apiVersion"]), String(object["kind"]));
  await admin.apply(kind, object as never, { fieldManager: "test", force: true });
}
