import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startCluster } from "@pintle/cluster";
import { Agent, request } from "undici";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { createTarget } from "../api/target.ts";
import { startControlPlane } from "../real/index.ts";
import { POLICY } from "./policy.ts";
import { runSession, session } from "./session.ts";

/** Sends one session of requests to a real API server and to the embedded one, and compares their audit logs event by event. */
type Event = Readonly<Record<string, any>>;

const SETUP_TIMEOUT_MS = 120_000;
const LAST_PATH = "/last-request-of-the-session";
const folder = mkdtempSync(join(tmpdir(), "pintle-audit-"));
let real: ReadonlyMap<string, readonly Event[]>;
let ours: ReadonlyMap<string, readonly Event[]>;

beforeAll(async () => {
  const policy = join(folder, "policy.json");
  writeFileSync(policy, JSON.stringify(POLICY));
  const flags = [`--audit-policy-file=${policy}`, `--audit-log-path=${join(folder, "real.log")}`];
  await using plane = await startControlPlane({
    controllerManager: false,
    disableAdmissionPlugins: ["ServiceAccount"],
    serverFlags: flags,
  });
  real = await recordSession(readFileSync(plane.kubeconfig, "utf8"), join(folder, "real.log"));
  await using cluster = await startCluster({ without: true, http: true, audit: { path: join(folder, "ours.log"), policy } });
  ours = await recordSession(cluster.kubeconfig, join(folder, "ours.log"));
}, SETUP_TIMEOUT_MS);
afterAll(() => rmSync(folder, { recursive: true }));

/** Returns the events by Audit-ID. */
async function recordSession(kubeconfig: string, file: string): Promise<ReadonlyMap<string, readonly Event[]>> {
  const target = createTarget(kubeconfig, async () => {});
  await runSession(target);
  const { server } = parse(kubeconfig).clusters[0].cluster;
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
  const headers = { authorization: "Bearer not-a-token", "audit-id": "unauthenticated", "user-agent": "conformance/1" };
  await (await request(`${server}/version`, { dispatcher, headers })).body.dump();
  await dispatcher.destroy();
  // Audit events are written in order: once the last one is present, all are.
  await target.send("GET", LAST_PATH);
  while (!readFileSync(file, "utf8").includes(LAST_PATH)) await delay(20);
  await target.close();
  const lines = readFileSync(file, "utf8").split("\n");
  const events = lines.filter((line) => line.endsWith("}")).map((line) => JSON.parse(line) as Event);
  const byId = new Map<string, Event[]>();
  for (const event of events) byId.set(event["auditID"], [...(byId.get(event["auditID"]) ?? []), event]);
  return byId;
}

const VARIABLE = new Set([
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "time",
  "requestReceivedTimestamp",
  "stageTimestamp",
  "columnDefinitions",
  "cells",
]);
const UID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
/** A user may have a permission twice; which binding kube-apiserver names depends on the order of a hash map. */
const BINDING = /^RBAC: allowed by .* to /;

/** Replaces what differs between two runs, and adds the order of the event's fields. */
function normalize(event: Event): unknown {
  const text = JSON.stringify(event, (key, value) => {
    if (VARIABLE.has(key) && value !== "1") return "-";
    if (key === "authentication.kubernetes.io/credential-id") return "-";
    return typeof value === "string" ? value.replace(UID, "-").replace(BINDING, "RBAC: to ") : value;
  });
  return { fields: Object.keys(event), event: JSON.parse(text) };
}

/** Requests of which the two logs differ, and why. */
const KNOWN_DIFFERENCES: Readonly<Record<string, string>> = {
  "GET /api/v1/namespaces/audited/configmaps?timeout=abc":
    "kube-apiserver refuses it before the user is known, at a stage that the policy omits",
  "PATCH /api/v1/namespaces/audited/configmaps/applied?fieldManager=me": "kube-apiserver loses the event of an apply whose body is YAML",
};

test.each(session.map(({ method, path, body }, index) => ({ index, title: `${method} ${path}`, isYaml: typeof body === "string" })))(
  "writes the events of kube-apiserver for request $index: $title",
  ({ index, title, isYaml }) => {
    const [expected, actual] = [real, ours].map((events) => (events.get(`request-${index}`) ?? []).map(normalize));
    if (title in KNOWN_DIFFERENCES && (isYaml || !title.startsWith("PATCH"))) expect(actual).not.toEqual(expected);
    else expect(actual).toEqual(expected);
  },
);

test("writes the event of kube-apiserver for refused credentials", () => {
  expect((ours.get("unauthenticated") ?? []).map(normalize)).toEqual((real.get("unauthenticated") ?? []).map(normalize));
  expect(ours.get("unauthenticated")).toMatchObject([{ stage: "ResponseStarted", responseStatus: { code: 401 } }]);
});

test("covers every level and every stage", () => {
  const all = [...ours.values()].flat();
  expect(new Set(all.map(({ level }) => level))).toEqual(new Set(["Metadata", "Request", "RequestResponse"]));
  expect(new Set(all.map(({ stage }) => stage))).toEqual(new Set(["RequestReceived", "ResponseStarted", "ResponseComplete"]));
});
