import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startCluster } from "@pintle/cluster";
import { controller, createFlightRecorder, defineResource, silentLogger, startManager, z } from "pintle";
import { connect } from "pintle/client";
import { ConfigMap } from "pintle/kinds/core/v1";
import { expect, test } from "vitest";
import { startControlPlane } from "../real/index.ts";
import { install } from "../runtime/servers.ts";

/** Every write of a run carries its id, and both servers keep it: their audit logs can be joined to the recording by id. */
const Note = defineResource({
  group: "recorded.example.com",
  version: "v1",
  kind: "Note",
  spec: z.object({ text: z.string() }),
  status: z.object({ seen: z.string() }),
});
const notes = controller(Note, {
  owns: [ConfigMap],
  finalize: () => undefined,
  reconcile({ object: { metadata, spec }, event, want }) {
    event("Seen", spec.text);
    return want({
      children: { text: ConfigMap.desired({ metadata: { name: metadata.name }, data: { text: spec.text } }) },
      status: { seen: spec.text },
    });
  },
});

const POLICY = { apiVersion: "audit.k8s.io/v1", kind: "Policy", omitStages: ["RequestReceived"], rules: [{ level: "Metadata" }] };
type Server = { readonly kubeconfig: string } & AsyncDisposable;
const SERVERS: readonly (readonly [string, (folder: string, policy: string) => Promise<Server>])[] = [
  [
    "a real kube-apiserver",
    async (folder, policy) => {
      const serverFlags = [`--audit-policy-file=${policy}`, `--audit-log-path=${join(folder, "audit.log")}`];
      return startControlPlane({ controllerManager: false, disableAdmissionPlugins: ["ServiceAccount"], serverFlags });
    },
  ],
  [
    "the embedded cluster",
    async (folder, policy) => {
      const cluster = await startCluster({ without: true, http: true, audit: { path: join(folder, "audit.log"), policy } });
      const kubeconfig = join(folder, "kubeconfig");
      await cluster.writeKubeconfig(kubeconfig);
      return { kubeconfig, [Symbol.asyncDispose]: () => cluster.stop() };
    },
  ],
];

test.each(SERVERS)("the audit log of %s has the run of every write of an operator", { timeout: 120_000 }, async (_, start) => {
  const folder = mkdtempSync(join(tmpdir(), "pintle-audit-id-"));
  const policy = join(folder, "policy.json");
  writeFileSync(policy, JSON.stringify(POLICY));
  await using server = await start(folder, policy);
  const client = await connect({ kubeconfig: server.kubeconfig, onWarning: () => {} });
  await install(client, Note);
  const recorder = createFlightRecorder();
  const manager = startManager({ controllers: [notes], client, recorder, logger: silentLogger });
  await manager.ready;
  await client.create(Note, { metadata: { name: "n", namespace: "default" }, spec: { text: "hello" } });
  await client.waitFor(Note, { name: "n", namespace: "default" }, ({ status }) => status?.seen === "hello", { timeout: 20_000 });
  await manager.stop();
  const facts = recorder.facts();
  const runs = new Set(facts.flatMap((fact) => (fact.type === "run" ? [fact.id] : [])));
  const sent = facts.flatMap((fact) => (fact.type === "request" ? [fact] : []));
  expect(sent.map(({ verb, kind }) => `${verb} ${kind}`).sort()).toEqual(["apply ConfigMap", "apply status Note", "patch Note"]);
  const readEvents = () =>
    readFileSync(join(folder, "audit.log"), "utf8")
      .split("\n")
      .filter((line) => line.endsWith("}"))
      .map(
        (line) =>
          JSON.parse(line) as { readonly auditID: string; readonly verb: string; readonly objectRef?: { readonly resource: string } },
      );
  while (!readEvents().some(({ objectRef }) => objectRef?.resource === "events")) await delay(20);
  const events = readEvents();
  for (const { id } of sent) expect(events.filter(({ auditID }) => auditID === id)).toHaveLength(1);
  const ours = events.filter(({ auditID }) => auditID.startsWith(`${recorder.processId}-`));
  expect([...new Set(ours.map(({ objectRef }) => objectRef?.resource))].sort()).toEqual(["configmaps", "events", "notes"]);
  for (const { auditID } of ours) expect(runs).toContain(auditID.replace(/\.\d+$/, ""));
  await client.close();
  rmSync(folder, { recursive: true });
});
