import { writeFile } from "node:fs/promises";
import type { Layout } from "./layout.ts";

const apiVersion = "kwok.x-k8s.io/v1alpha1";

/**
 * What a kubelet does for the containers it runs, where there are none: a command is run on this machine, by this user;
 * a log is one file for all; a port leads to the same port of this machine. kwok asks nobody who they are: while it runs,
 * whoever can connect to loopback ports here can do all that too.
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
  // JSON is YAML, of which kwok wants a document each.
  await writeFile(files.config, texts.join("\n---\n"));
}
