import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Cluster, startCluster } from "@pintle/cluster";
import { Pod } from "pintle/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { modes } from "./modes.ts";

const TIMEOUT = 60_000;

describe.runIf(modes.includes("namespaces"))("the security context of a container in its own namespaces", () => {
  let cluster: Cluster;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "pintle-security-context-"));
    await writeFile(path.join(folder, "kubeconfig"), "secret");
    await writeFile(path.join(folder, "other"), "public");
    cluster = await startCluster({
      store: { file: path.join(folder, "data") },
      nodes: { kind: "process", mode: "namespaces", privatePaths: [path.join(folder, "kubeconfig")] },
    });
    await cluster.ready;
  }, TIMEOUT);
  afterAll(async () => {
    await cluster?.stop();
    await rm(folder, { recursive: true, force: true });
  }, TIMEOUT);

  /** Runs a script to its end; returns what it wrote as its termination message. */
  async function runToEnd(name: string, script: string, securityContext: object): Promise<string | undefined> {
    const client = cluster.client();
    const container = { name: "main", image: "busybox", command: ["sh", "-c", script], securityContext };
    const volumeMounts = [{ name: "scratch", mountPath: "/scratch" }];
    await client.create(Pod, {
      metadata: { name, namespace: "default" },
      spec: { restartPolicy: "Never", containers: [{ ...container, volumeMounts }], volumes: [{ name: "scratch", emptyDir: {} }] },
    } as never);
    const isDone = ({ status }: Pod) => status.phase === "Succeeded" || status.phase === "Failed";
    const { status } = await client.waitFor(Pod, { name, namespace: "default" }, isDone, { timeout: TIMEOUT });
    return status.containerStatuses?.[0]?.state?.terminated?.message;
  }
  const probe = (target: string) => `(echo x > ${target}) 2>/dev/null && echo "${target} written" || echo "${target} refused"`;
  const script = `{ ${probe("/file")}; ${probe("/etc/file")}; ${probe("/scratch/file")}; } > /dev/termination-log`;

  test("readOnlyRootFilesystem leaves only volumes writable", { timeout: TIMEOUT }, async () => {
    expect(await runToEnd("read-only", script, { readOnlyRootFilesystem: true })).toBe(
      "/file refused\n/etc/file refused\n/scratch/file written\n",
    );
    expect(await runToEnd("writable", script, {})).toBe("/file written\n/etc/file written\n/scratch/file written\n");
  });

  test("keys, objects and kubeconfig of the cluster cannot be read", { timeout: TIMEOUT }, async () => {
    const read = ["data/keys.pem", "kubeconfig", "other"]
      .map((name) => path.join(folder, name))
      .map((file) => `grep -qs . ${file} && echo ${file}`);
    expect(await runToEnd("private", `{ ${read.join("; ")}; true; } > /dev/termination-log`, {})).toBe(`${folder}/other\n`);
  });

  const privileges = "grep -E '^(CapEff|CapBnd|NoNewPrivs)' /proc/self/status | tr -s '\\t\\n' ' ' > /dev/termination-log";
  const formatPrivileges = (effective: string, bounding = effective, noNewPrivileges = 0) =>
    `CapEff: ${effective.padStart(16, "0")} CapBnd: ${bounding.padStart(16, "0")} NoNewPrivs: ${noNewPrivileges} `;

  test("capabilities are containerd's defaults, with those added and without those dropped", { timeout: TIMEOUT }, async () => {
    expect(await runToEnd("default", privileges, {})).toBe(formatPrivileges("a80425fb"));
    expect(await runToEnd("added", privileges, { capabilities: { add: ["NET_ADMIN"], drop: ["CHOWN"] } })).toBe(
      formatPrivileges("a80435fa"),
    );
    expect(await runToEnd("dropped", privileges, { capabilities: { drop: ["ALL"] } })).toBe(formatPrivileges("0"));
    expect(await runToEnd("user", privileges, { runAsUser: 1000 })).toBe(formatPrivileges("0", "a80425fb"));
    const own = /^CapBnd:\s*(\w+)/m.exec(await readFile("/proc/self/status", "utf8"))?.[1] ?? "";
    expect(await runToEnd("privileged", privileges, { privileged: true })).toBe(formatPrivileges(own));
  });

  test("allowPrivilegeEscalation: false makes set-user-ID files ineffective", { timeout: TIMEOUT }, async () => {
    const securityContext = { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] }, runAsUser: 1000 };
    expect(await runToEnd("no-escalation", privileges, securityContext)).toBe(formatPrivileges("0", "0", 1));
  });
});
