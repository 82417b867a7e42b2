import { writeFile } from "node:fs/promises";
import type { Layout } from "../programs/layout.ts";

const apiVersion = "kwok.x-k8s.io/v1alpha1";

/**
 * Configures what the simulated kubelet does for containers that do not exist: exec runs the command on this machine, as this
 * user; all logs are one file; a forwarded port leads to the same port of this machine. kwok authenticates no client: while it
 * runs, any process that can connect to loopback ports on this machine can use all of that.
 */
export async function writePods(files: Layout["pods"], ports: readonly number[]): Promise<void> {
  const forwards = ports.map((port) => ({ ports: [port], target: { address: "127.0.0.1", port } }));
  const documents = [
    { kind: "ClusterExec", spec: { execs: [{ local: {} }] } },
    { kind: "ClusterLogs", spec: { logs: [{ logsFile: files.log }] } },
    { kind: "ClusterPortForward", spec: { forwards } },
  ];
  const texts = documents.map((document) => JSON.stringify({ apiVersion, metadata: { name: "pods" }, ...document }));
  await writeFile(files.log, "");
  // JSON is valid YAML; kwok expects one document per object.
  await writeFile(files.config, texts.join("\n---\n"));
}
