/** The RBAC rules that an operator needs for its webhooks' certificates: with all of them nothing is denied, and none can be left out. */
import { setTimeout as delay } from "node:timers/promises";
import { type Client, connect } from "pintle/client";
import { certificatePolicyRules, describeWebhooks } from "pintle/internal/webhook";
import { SubjectAccessReview } from "pintle/kinds/authorization/v1";
import { Secret } from "pintle/kinds/core/v1";
import { ClusterRole, ClusterRoleBinding } from "pintle/kinds/rbac/v1";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ControlPlane, startControlPlane } from "../real/index.ts";
import { full } from "../sampling.ts";
import { NAMES, NAMESPACE, readCaBundles, registerWebhooks, startOperator } from "./operator.ts";
import { Widget, widgetWebhook } from "./widget.ts";

const USER = "certificates";
const SECRET = { name: NAMES.secret, namespace: NAMESPACE };
const webhooks = [widgetWebhook];
const generated = certificatePolicyRules(describeWebhooks(webhooks, [Widget]), NAMES);
const RULES = [...generated.role, ...generated.clusterRole];
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

  test("with all rules no request is denied", async () => {
    await grantAllExcept();
    await using run = await startFreshOperator();
    await expect.poll(async () => (await readCaBundles(admin)).every((each) => each !== undefined), { timeout: 60_000 }).toBe(true);
    expect(run.complaints).toEqual([]);
  });

  test.each(RIGHTS)("without %s on %s a request is denied", async (verb, resource) => {
    await grantAllExcept(verb, resource);
    await using run = await startFreshOperator();
    await expect.poll(() => run.refused(), { timeout: 60_000 }).toBe(true);
  });

  /** Grants all rules but one, and waits until the server enforces them. */
  async function grantAllExcept(lacking?: string, of?: string): Promise<void> {
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

  /** Starts an operator whose Secret is empty, so that it needs every permission. */
  async function startFreshOperator() {
    await admin.replace(Secret, { metadata: SECRET, data: {} } as never);
    const manager = startOperator({ client: account, webhooks, resources: [Widget] });
    let ended = false;
    manager.done.catch(() => (ended = true));
    const ready = manager.ready.then(() => registerWebhooks(admin, manager.ports.webhooks!, webhooks, [Widget]));
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
