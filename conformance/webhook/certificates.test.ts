import { X509Certificate } from "node:crypto";
import { connect as connectTls } from "node:tls";
import { type Client, Forbidden, RequestError } from "pintle/client";
import { systemClock } from "pintle/internal/clock";
import { certificatePolicyRules, describeWebhooks } from "pintle/internal/webhook";
import { Secret } from "pintle/kinds/core/v1";
import { ClusterRole, ClusterRoleBinding } from "pintle/kinds/rbac/v1";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { full, seed } from "../sampling.ts";
import { NAMES, NAMESPACE, readCaBundles, registerWebhooks, startOperator } from "./operator.ts";
import { SERVERS, type WebhookServer } from "./servers.ts";
import { Widget, widgetWebhook } from "./widget.ts";

const webhooks = [widgetWebhook];
const SECRET = { name: NAMES.secret, namespace: NAMESPACE };

describe.each(SERVERS)("certificates on %s", (name, startServer) => {
  let server: WebhookServer;
  let client: Client;
  beforeAll(async () => {
    server = await startServer();
    client = await server.connect();
  });
  afterAll(async () => {
    await client?.close();
    await server?.stop();
  });
  const readSecret = async (key: "ca.crt" | "tls.crt") => Buffer.from((await client.get(Secret, SECRET)).data![key]!, "base64").toString();
  const sendReview = (i: number) =>
    client.create(Widget, { metadata: { name: `probe-${i}`, namespace: NAMESPACE }, spec: { image: { name: "i" } } }, { dryRun: true });

  test("replicas that race to issue certificates converge on one authority", async () => {
    const clients = await Promise.all(Array.from({ length: 5 }, () => server.connect()));
    const replicas = clients.map((each) => startOperator({ client: each, webhooks, resources: [Widget] }));
    await Promise.all(replicas.map(({ ready }) => ready));
    const authorities = await readSecret("ca.crt");
    expect(authorities.match(/BEGIN CERTIFICATE/g)).toHaveLength(1);
    const served = await Promise.all(replicas.map(({ ports }) => certificateAt(ports.webhooks!)));
    const root = new X509Certificate(authorities);
    expect(served.every((leaf) => leaf.verify(root.publicKey))).toBe(true);
    expect(new Set(served.map(({ fingerprint256 }) => fingerprint256)).size).toBe(1);
    expect(served[0]!.subjectAltName).toContain(`DNS:${NAMES.service}.${NAMESPACE}.svc,`);
    await registerWebhooks(client, replicas[0]!.ports.webhooks!, webhooks, [Widget]);
    await expect.poll(() => readCaBundles(client), { timeout: 20_000 }).toEqual(Array(2).fill(Buffer.from(authorities).toString("base64")));
    await Promise.all(replicas.map((each) => each.stop()));
    await Promise.all(clients.map((each) => each.close()));
    expect(replicas.flatMap(({ complaints }) => complaints)).toEqual([]);
  });

  test("the generated RBAC rules suffice: objects by name, and a Secret that exists already", async () => {
    await client.replace(Secret, { metadata: SECRET, data: {} } as never);
    const rules = certificatePolicyRules(describeWebhooks(webhooks, [Widget]), NAMES);
    const user = "certificates";
    const metadata = { name: user };
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: user };
    await client.create(ClusterRole, { metadata, rules: [...rules.role, ...rules.clusterRole] } as never);
    await client.create(ClusterRoleBinding, { metadata, roleRef, subjects: [{ apiGroup: roleRef.apiGroup, kind: "User", name: user }] });
    const operatorClient = await server.connect(undefined, user);
    await expect(operatorClient.list(Secret, { namespace: NAMESPACE })).rejects.toThrow(Forbidden);
    const manager = startOperator({ client: operatorClient, webhooks, resources: [Widget] });
    await manager.ready;
    await registerWebhooks(client, manager.ports.webhooks!, webhooks, [Widget]);
    const caBundle = Buffer.from(await readSecret("ca.crt")).toString("base64");
    await expect.poll(() => readCaBundles(client), { timeout: 20_000 }).toEqual([caBundle, caBundle]);
    await vi.waitFor(() => sendReview(0), { timeout: 20_000 });
    await manager.stop();
    await operatorClient.close();
    expect(manager.complaints).toEqual([]);
  });

  // Takes as long as a certificate is valid: a sample runs it on one of the two servers.
  test.runIf(full || SERVERS.findIndex(([each]) => each === name) === seed % SERVERS.length)(
    "rotates authority and serving certificate under load without a failed review",
    { timeout: 360_000 },
    async () => {
      await client.delete(Secret, SECRET);
      const slowness = await measureSlowness(() => client.find(Secret, SECRET));
      const lifetimes = { authority: 15_000 * slowness, leaf: 7_000 * slowness, overlap: 2_000 * slowness };
      const replicas = [
        startOperator({ client, webhooks, resources: [Widget], lifetimes }),
        startOperator({ client, webhooks, resources: [Widget], lifetimes }),
      ];
      await Promise.all(replicas.map(({ ready }) => ready));
      await registerWebhooks(client, replicas[0]!.ports.webhooks!, webhooks, [Widget]);
      await vi.waitFor(() => sendReview(0), { timeout: 20_000 });

      const failures: string[] = [];
      const leaves = new Set<string>();
      const authorities = new Set<string>();
      let reviews = 0;
      let maxTrusted = 0;
      let settled = false;
      const deadline = Date.now() + 60_000 * slowness;
      const isOver = () => settled || Date.now() > deadline;
      const load = async () => {
        while (!isOver()) {
          await sendReview(++reviews).catch((error: unknown) =>
            failures.push(error instanceof RequestError ? error.message : String(error)),
          );
        }
      };
      const recordCertificates = async () => {
        while (!isOver()) {
          leaves.add((await certificateAt(replicas[reviews % 2]!.ports.webhooks!)).fingerprint256);
          const trusted = (await readSecret("ca.crt")).match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
          for (const each of trusted) authorities.add(each);
          maxTrusted = Math.max(maxTrusted, trusted.length);
          // One rotation is complete: two authorities were trusted for a while, and now there is one again.
          settled = leaves.size >= 3 && maxTrusted >= 2 && trusted.length === 1;
          await systemClock.sleep(100);
        }
      };
      await Promise.all([load(), load(), load(), load(), recordCertificates()]);
      expect(failures).toEqual([]);
      expect({ authorities: authorities.size >= 2, leaves: leaves.size >= 3, overlap: maxTrusted }).toEqual({
        authorities: true,
        leaves: true,
        overlap: 2,
      });
      console.log(`${reviews} reviews while ${authorities.size} authorities and ${leaves.size} certificates rotated, 0 failed`);
      await Promise.all(replicas.map((each) => each.stop()));
    },
  );
});

/** Certificates that live for seconds are renewed within seconds; on a busy machine everything takes longer. */
async function measureSlowness(call: () => Promise<unknown>): Promise<number> {
  const [calls, quickMs, maxFactor] = [20, 5, 5];
  const startedAt = performance.now();
  for (let i = 0; i < calls; i++) await call();
  return Math.min(maxFactor, Math.max(1, (performance.now() - startedAt) / calls / quickMs));
}

function certificateAt(port: number): Promise<X509Certificate> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({ host: "127.0.0.1", port, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerX509Certificate()!);
      socket.destroy();
    });
    socket.once("error", reject);
  });
}
