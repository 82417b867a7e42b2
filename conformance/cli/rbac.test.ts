/** A scaffolded operator as the account that `pintle generate` makes for it: nothing is refused, and nothing can be left out. */
import { spawn } from "node:child_process";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { startCluster } from "@pintle/cluster";
import { type Client, connect, locate } from "pintle/client";
import type { JsonObject } from "pintle/kinds";
import { Deployment } from "pintle/kinds/apps/v1";
import { SubjectAccessReview } from "pintle/kinds/authorization/v1";
import { Lease } from "pintle/kinds/coordination/v1";
import { ServiceAccount } from "pintle/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { main } from "../../packages/cli/src/main.ts";
import { workshop } from "../../packages/cli/test/pintle.ts";
import { freePort } from "../image/debian.ts";
import { startControlPlane } from "../real/index.ts";
import { full, seed } from "../sampling.ts";

const ENFORCED = "OwnerReferencesPermissionEnforcement";
const ACCOUNT = { name: "shop-controller-manager", namespace: "shop-system" };
const USER = `system:serviceaccount:${ACCOUNT.namespace}:${ACCOUNT.name}`;
const BIN = fileURLToPath(new URL("../../packages/cli/src/bin.ts", import.meta.url));

/** Exactly this is generated: "verb resource". Whoever changes it changes what every operator may do. */
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
];
/**
 * An operator that uses all it has: beside what every operator does by itself it says something, and looks for itself, past
 * its cache, at what it owns; `get` and `list` of these kinds are what the types of `client` promise.
 */
const BUSY = `want, event, client }) {
    event("Seen", "looked at");
    await client.list(Storefront, { namespace: "default", limit: 1 });
    await client.list(Deployment, { namespace: "default", limit: 1 });
    await client.get(Storefront, object.metadata);
    await client.find(Deployment, object.metadata);`;

interface Role extends JsonObject {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly rules: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly verbs: readonly string[];
  }[];
}
const rightsOf = ({ rules }: Role) =>
  rules.flatMap(({ apiGroups, resources, verbs }) =>
    resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}.${apiGroups[0]}`)),
  );
const without = (role: Role, right: string): Role => ({
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
      const cluster = await startCluster({ http: true, admissionPlugins: { enable: [ENFORCED] } });
      return { text: cluster.kubeconfig, stop: () => cluster.stop() };
    },
  },
  {
    name: "a real control plane",
    async start() {
      const plane = await startControlPlane({ controllerManager: true, scheduler: true, nodes: 1, enableAdmissionPlugins: [ENFORCED] });
      return { file: plane.kubeconfig, stop: () => plane.stop() };
    },
  },
].filter((_, i) => full || i === (seed + 1) % 2);

describe.each(servers)("on $name", ({ start }) => {
  const here = workshop();
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
    here.write("shop/src/storefront.ts", source.replace("  reconcile(", "  async reconcile(").replace("want }) {", BUSY));
    expect(await main(["generate"], { ...io, cwd: project })).toBe(0);
    const server = await start();
    stop = server.stop;
    const kubeconfig = "file" in server ? server.file : path.join(here.root, "admin");
    if ("text" in server) here.write("admin", server.text);
    admin = await connect({ kubeconfig });
    const objects = parseAllDocuments(here.read("shop/dist/install.yaml")).map((each) => each.toJS() as Role);
    for (const object of objects.filter(({ kind }) => kind !== "Deployment" && kind !== "Service")) await apply(admin, object);
    roles = objects.filter(
      ({ kind, metadata }) => kind.endsWith("Role") && /-(manager|leader-election|metrics-auth)-role$/.test(metadata.name),
    );
    const access = await locate({ kubeconfig });
    const { token } = await admin.token(ServiceAccount, ACCOUNT, { expirationSeconds: 3600 });
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
    // Somebody who may read metrics.
    await apply(admin, { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "reader", namespace: "default" } });
    await apply(admin, {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: "reader" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "shop-metrics-reader" },
      subjects: [{ kind: "ServiceAccount", name: "reader", namespace: "default" }],
    });
    metrics = (await admin.token(ServiceAccount, { name: "reader", namespace: "default" })).token;
  });
  afterAll(async () => {
    await admin?.close();
    await stop();
    here[Symbol.dispose]();
  });

  test("exactly these rights are generated", () => {
    expect(roles.flatMap(rightsOf).sort()).toEqual([...RIGHTS].sort());
  });

  test("with all of them, nothing is refused", async () => {
    await granted(undefined);
    expect(await told()).toEqual({ outcome: "done", refused: [] });
  });

  const lacking = full ? RIGHTS : RIGHTS.filter((_, i) => i === seed % RIGHTS.length);
  test.each(lacking)("without %s it does not work", async (right) => {
    await granted(right);
    const { outcome, refused } = await told();
    await granted(undefined);
    expect({ outcome, refused: refused.length > 0 || outcome === "stuck" }).toMatchObject({ refused: true });
  });

  /** Gives the account these rights but one, and waits until the server goes by them. */
  async function granted(lacking: string | undefined): Promise<void> {
    for (const role of roles) await apply(admin, lacking === undefined ? role : without(role, lacking));
    for (const right of RIGHTS) {
      const [verb, full = ""] = right.split(" ");
      const [, resource, subresource, group] = /^([a-z]+)(?:\/([a-z]+))?\.(.*)$/.exec(full)!;
      const spec = { user: USER, resourceAttributes: { verb, group, resource, subresource, namespace: ACCOUNT.namespace } };
      const allowed = async () => (await admin.create(SubjectAccessReview, { metadata: {}, spec } as never)).status?.allowed === true;
      while ((await allowed()) !== (right !== lacking)) await delay(50);
    }
  }

  /** The operator as a process with all its flags, and everything it ever does; ends with the first refusal. */
  async function told(): Promise<{ readonly outcome: string; readonly refused: readonly string[] }> {
    for (const { metadata } of (await admin.list(Lease, { namespace: ACCOUNT.namespace })).items) await admin.delete(Lease, metadata);
    const port = await freePort();
    const flags = ["--leader-elect", "--metrics-secure", `--metrics-bind-address=127.0.0.1:${port}`, "--health-probe-bind-address=0"];
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
    const refused = () => output.split("\n").filter((line) => /is not allowed to|forbidden|cannot set blockOwnerDeletion/i.test(line));
    const enough = new AbortController();
    const ended = new Promise((resolve) => child.once("exit", resolve));
    try {
      const outcome = await Promise.race([
        tale(port, enough.signal).then(
          () => "done",
          () => "stuck",
        ),
        (async () => {
          while (refused().length === 0 && child.exitCode === null && !enough.signal.aborted) await delay(50);
          return child.exitCode === null ? "refused" : "ended";
        })(),
      ]);
      return { outcome, refused: refused() };
    } finally {
      enough.abort();
      child.kill("SIGTERM");
      await ended;
    }
  }

  let tales = 0;
  async function tale(port: number, signal: AbortSignal): Promise<void> {
    const within = { timeout: 40_000, signal };
    const Storefront = await admin.kind("shop.example.com/v1alpha1", "Storefront");
    const ref = { name: `tale-${++tales}`, namespace: "default" } as never;
    await admin.create(Storefront, { metadata: ref, spec: { replicas: 1 } } as never);
    const status = (field: string, value: number) => (object: Record<string, unknown>) =>
      (object["status"] as JsonObject | undefined)?.[field] === value;
    await admin.wait(Storefront, ref, status("ready", 1) as never, within);
    await admin.patch(Storefront, ref, { merge: { spec: { replicas: 2 } } });
    await admin.wait(Storefront, ref, status("ready", 2) as never, within);
    // What it no longer wants, it takes away: a Deployment that its receipt names.
    const made = await admin.get(Deployment, ref);
    const { resourceVersion: _, uid: __, managedFields: ___, ...metadata } = made.metadata;
    const former = { name: `${made.metadata.name}-former`, namespace: "default" };
    await admin.create(Deployment, { metadata: { ...metadata, ...former }, spec: made.spec } as never);
    await admin.waitGone(Deployment, former, within);
    // What is said again is counted on the Event that is there.
    const Event = await admin.kind("events.k8s.io/v1", "Event");
    for (;;) {
      signal.throwIfAborted();
      const { items } = await admin.list(Event, { namespace: "default" });
      if (items.some((event) => JSON.stringify(event["regarding"]).includes(`"tale-${tales}"`) && event["series"] !== undefined)) break;
      await delay(100);
    }
    const [lease] = (await admin.list(Lease, { namespace: ACCOUNT.namespace })).items;
    await admin.wait(Lease, lease!.metadata, ({ spec }) => spec?.renewTime !== lease!.spec?.renewTime, within);
    const { request } = await import("node:https");
    const code = await new Promise((resolve, reject) =>
      request(
        `https://127.0.0.1:${port}/metrics`,
        { rejectUnauthorized: false, headers: { authorization: `Bearer ${metrics}` } },
        (answer) => resolve(answer.resume().statusCode),
      )
        .on("error", reject)
        .end(),
    );
    if (code !== 200) throw new Error(`metrics answered ${code}`);
    await admin.delete(Storefront, ref);
  }
});

async function apply(admin: Client, object: JsonObject): Promise<void> {
  const kind = await admin.kind(String(object["apiVersion"]), String(object["kind"]));
  await admin.apply(kind, object as never, { fieldManager: "test", force: true });
}
