import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { virtualClock } from "pintle/internal/clock";
import { ConfigMap } from "pintle/kinds/core/v1";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { startCluster } from "../../src/index.ts";
import { openAuditLogFile } from "../../src/interceptors/audit/log-file.ts";
import { compilePolicy } from "../../src/interceptors/audit/policy.ts";
import { checkPolicy, readPolicyFile } from "../../src/interceptors/audit/read-policy.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "pintle-audit-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const readEvents = (file: string) =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

test("records the stages of requests of a client in this process, and the end of a watch", async () => {
  const file = path.join(folder, "logs", "audit.log");
  const rules = [{ level: "RequestResponse", resources: [{ resources: ["configmaps"] }] }, { level: "None" }] as const;
  const cluster = await startCluster({ without: true, audit: { path: file, policy: { rules } } });
  const client = cluster.client();
  await client.create(ConfigMap, { metadata: { name: "a", namespace: "default" }, data: { url: "a&b" } });
  const stop = new AbortController();
  const watched = (async () => {
    for await (const _event of client.watch(ConfigMap, { namespace: "default", signal: stop.signal })) stop.abort();
  })();
  await watched.catch(() => {});
  await cluster.stop();
  const events = readEvents(file);
  const summary = events.map(({ verb, stage, level, responseStatus }) => `${verb} ${stage} ${level} ${responseStatus?.code ?? "-"}`);
  expect(summary.filter((each) => each.startsWith("create"))).toEqual([
    "create RequestReceived RequestResponse -",
    "create ResponseComplete RequestResponse 201",
  ]);
  expect(summary.filter((each) => each.startsWith("watch"))).toEqual([
    "watch RequestReceived RequestResponse -",
    "watch ResponseStarted RequestResponse 200",
    "watch ResponseComplete RequestResponse 200",
  ]);
  expect(events.find(({ stage }) => stage === "ResponseComplete")).toMatchObject({
    user: { username: "kubernetes-admin" },
    sourceIPs: ["::1"],
    objectRef: { resource: "configmaps", namespace: "default", name: "a", apiVersion: "v1" },
    requestObject: { data: { url: "a&b" } },
    responseObject: { metadata: { resourceVersion: expect.any(String) } },
    annotations: { "authorization.k8s.io/decision": "allow" },
  });
  expect(readFileSync(file, "utf8")).toContain(String.raw`"url":"a\u0026b"`);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

describe("rotation", () => {
  const MEGABYTE = 1024 * 1024;
  const line = `${"x".repeat(MEGABYTE / 2 - 1)}\n`;

  test("starts a new file at the maximum size and keeps the newest backups", async () => {
    const clock = virtualClock("2026-01-31T10:20:30Z");
    const log = openAuditLogFile({ path: path.join(folder, "audit.log"), maxSize: 1, maxBackups: 2 }, clock, expect.unreachable);
    for (let i = 0; i < 8; i++) {
      log.append(line);
      await clock.advance(1000);
    }
    log.close();
    expect(readdirSync(folder).sort()).toEqual(["audit-2026-01-31T10-20-34.000.log", "audit-2026-01-31T10-20-36.000.log", "audit.log"]);
    expect(statSync(path.join(folder, "audit.log")).size).toBe(MEGABYTE);
  });

  test("appends to an existing file, removes backups past their age and compresses new ones", async () => {
    const file = path.join(folder, "audit.log");
    writeFileSync(file, line);
    writeFileSync(path.join(folder, "audit-2026-01-01T00-00-00.000.log.gz"), "old");
    writeFileSync(path.join(folder, "audit-notes.log"), "no backup");
    const clock = virtualClock("2026-01-31T00:00:00Z");
    const log = openAuditLogFile({ path: file, maxSize: 1, maxAge: 10, compress: true }, clock, expect.unreachable);
    for (let i = 0; i < 2; i++) log.append(line);
    log.close();
    const backup = path.join(folder, "audit-2026-01-31T00-00-00.000.log");
    await vi.waitUntil(() => existsSync(`${backup}.gz`) && !existsSync(backup));
    expect(gunzipSync(readFileSync(`${backup}.gz`)).toString()).toBe(line + line);
    expect(readdirSync(folder).sort()).toEqual(["audit-2026-01-31T00-00-00.000.log.gz", "audit-notes.log", "audit.log"]);
  });

  test("refuses a file that cannot be opened", () => {
    expect(() => openAuditLogFile({ path: folder }, virtualClock(), expect.unreachable)).toThrow(/cannot write the audit log .*EISDIR/);
  });
});

describe("policy", () => {
  const pods = {
    type: "resource",
    verb: "get",
    path: "",
    group: "",
    version: "v1",
    namespace: "a",
    resource: "pods",
    name: "p",
    subresource: "log",
    subpath: [],
  } as const;
  const version = { type: "path", verb: "get", path: "/version/x" } as const;
  const user = { name: "alice", groups: ["dev"] };

  test.each([
    [{ resources: [{ resources: ["pods/*"] }] }, true, false],
    [{ resources: [{ resources: ["*/log"], resourceNames: ["p"] }] }, true, false],
    [{ resources: [{ resources: ["pods"] }] }, false, false],
    [{ resources: [{ group: "apps" }] }, false, false],
    [{ resources: [{ resources: ["*"], resourceNames: ["q"] }] }, false, false],
    [{ namespaces: ["a"] }, true, false],
    [{ namespaces: [""] }, false, false],
    [{ nonResourceURLs: ["/version*"] }, false, true],
    [{ nonResourceURLs: ["*"] }, false, true],
    [{ users: ["bob"] }, false, false],
    [{ userGroups: ["ops", "dev"] }, true, true],
    [{ verbs: ["get"] }, true, true],
    [{}, true, true],
  ])("matches %o", (rule, resourceMatches, pathMatches) => {
    const decide = compilePolicy({ rules: [{ level: "Metadata", ...rule }] });
    expect([decide(pods, user), decide(version, user)].map((each) => each !== undefined)).toEqual([resourceMatches, pathMatches]);
  });

  test("the first rule that matches decides, and stages of policy and rule are omitted", () => {
    const decide = compilePolicy({
      omitStages: ["RequestReceived"],
      omitManagedFields: true,
      rules: [
        { level: "None", verbs: ["list"] },
        { level: "Request", omitStages: ["Panic"], omitManagedFields: false },
      ],
    });
    expect(decide({ ...pods, verb: "list" }, user)).toBeUndefined();
    expect(decide(pods, undefined)).toEqual({
      level: "Request",
      omitStages: new Set(["RequestReceived", "Panic"]),
      omitManagedFields: false,
    });
  });

  test("reads YAML", async () => {
    const file = path.join(folder, "policy.yaml");
    writeFileSync(file, "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- level: Metadata\n  users: [alice]\n");
    expect((await readPolicyFile(file)).rules).toEqual([{ level: "Metadata", users: ["alice"] }]);
  });

  test.each([
    [{ rules: [] }, "it has no rules"],
    [{ kind: "Config", rules: [{ level: "None" }] }, "it must have apiVersion audit.k8s.io/v1 and kind Policy"],
    [{ rules: [{ level: "None", users: "alice" }] }, "rules[0].users is not a list of strings"],
    [{ rules: [{ users: ["alice"] }] }, "rules[0].level: Required value"],
    [
      { rules: [{ level: "All" }] },
      'rules[0].level: Unsupported value: "All": supported values: "None", "Metadata", "Request", "RequestResponse"',
    ],
    [{ rules: [{ level: "None", nonResourceURLs: ["/a*b"] }] }, "non-resource URL wildcards '*' must be the final character of the rule"],
    [
      { rules: [{ level: "None", nonResourceURLs: ["/a"], namespaces: ["a"] }] },
      "rules cannot apply to both regular resources and non-resource URLs",
    ],
    [{ rules: [{ level: "None", resources: [{ resourceNames: ["a"] }] }] }, "using resourceNames requires at least one resource"],
    [{ rules: [{ level: "None", omitStages: ["Sent"] }] }, "allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic"],
  ])("refuses %o", (policy, message) => {
    expect(() => checkPolicy(policy)).toThrow(message);
  });
});
