/** What an operator may do for the sake of its webhooks' certificates: with all of it nothing is refused, and nothing can be left out. */
import { setTimeout as delay } from "node:timers/promises";
import { type Client, connect } from "pintle/client";
import { SubjectAccessReview } from "pintle/kinds/authorization/v1";
import { Secret } from "pintle/kinds/core/v1";
import { ClusterRole, ClusterRoleBinding } from "pintle/kinds/rbac/v1";
import { certificatePermissions, webhookFacts } from "pintle/webhook";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ControlPlane, startControlPlane } from "../real/index.ts";
import { full } from "../sampling.ts";
import { bundles, NAMES, NAMESPACE, operator, register } from "./operator.ts";
import { Vessel, vesselWebhook } from "./vessel.ts";

const USER = "certificates";
const SECRET = { name: NAMES.secret, namespace: NAMESPACE };
const webhooks = [vesselWebhook];
const generated = certificatePermissions(webhookFacts(webhooks, [Vessel]), NAMES);
const RULES = [...generated.home, ...generated.cluster];
const RIGHTS = RULES.flatMap(({ resources, verbs }) => verbs.map((verb) => [verb, resources[0]] as const));

describe.runIf(full)("on a real kube-apiserver that does not stream lists", () => {
  let server: ControlPlane;
  let admin: Client;
  let account: Client;
  beforeAll(async () => {
    server = await startControlPlane({ disableAdmissionPlugins: ["ServiceAccount"], serverFlags: ["--feature-gates=WatchList=false"] });
    admin = await connect({ kubeconfig: server.kubeconfig });
    account = await connect({ kubeconfig: server.kubeconfig, impersonate: { user: USER } });
    const apiGroup = "rbac.authorization.k8s.io";
    const roleRef = { apiGroup, kind: "ClusterRole", name: USER };
    await admin.create(ClusterRoleBinding, { metadata: { name: USER }, roleRef, subjects: [{ apiGroup, kind: "User", name: USER }] });
    await admin.create(Secret, { metadata: SECRET });
  });
  afterAll(async () => {
    await account?.close();
    await admin?.close();
    await server?.stop();
  });

  test("with all of it, nothing is refused", async () => {
    await granted();
    await using run = await begun();
    await expect.poll(async () => (await bundles(admin)).every((each) => each !== undefined), { timeout: 60_000 }).toBe(true);
    expect(run.complaints).toEqual([]);
  });

  test.each(RIGHTS)("without %s on %s, something is", async (verb, resource) => {
    await granted(verb, resource);
    await using run = await begun();
    await expect.poll(() => run.refused(), { timeout: 60_000 }).toBe(true);
  });

  /** All rights but one, and the server goes by them. */
  async function granted(lacking?: string, of?: string): Promise<void> {
    const rules = RULES.map((rule) => ({
      ...rule,
      verbs: rule.verbs.filter((verb) => verb !== lacking || rule.resources[0] !== of),
    }));
    await admin.apply(ClusterRole, { metadata: { name: USER }, rules } as never, { force: true });
    for (const { apiGroups, resources, resourceNames, verbs } of RULES) {
      for (const verb of verbs) {
        const at = { verb, group: apiGroups[0], resource: resources[0], name: resourceNames[0], namespace: NAMESPACE };
        const isAllowed = async () =>
          (await admin.create(SubjectAccessReview, { metadata: {}, spec: { user: USER, resourceAttributes: at } } as never)).status
            ?.allowed === true;
        while ((await isAllowed()) !== !(verb === lacking && resources[0] === of)) await delay(50);
      }
    }
  }

  /** An operator that finds the Secret empty, so that it has everything to do. */
  async function begun() {
    await admin.replace(Secret, { metadata: SECRET, data: {} } as never);
    const manager = operator({ client: account, webhooks, resources: [Vessel] });
    let ended = false;
    manager.done.catch(() => (ended = true));
    const ready = manager.ready.then(() => register(admin, manager.ports.webhooks!, webhooks, [Vessel]));
    ready.catch(() => {});
    return {
      complaints: manager.complaints,
      refused: () => ended || manager.complaints.some((line) => /not allowed|forbidden|cannot/i.test(JSON.stringify(line))),
      async [Symbol.asyncDispose]() {
        await manager.stop();
        await ready.catch(() => {});
      },
    };
  }
});
