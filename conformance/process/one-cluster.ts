/** A cluster in a child process, which the test ends: mode, folder, and a word that the environment of all its pods' processes contains. */
import { startCluster } from "@pintle/cluster";
import { Pod } from "pintle/kinds/core/v1";

const [mode, folder, mark] = process.argv.slice(2) as ["loopback" | "namespaces", string, string];
const cluster = await startCluster({ nodes: { kind: "process", mode, folder } });
await cluster.ready;
const client = cluster.client();
const env = [{ name: "WORD", value: mark }];
// One child in the pod's process group, one in a session of its own.
const script = "sleep 1000 & setsid sleep 1000 & wait";
const names = ["one", "two"];
for (const name of names)
  await client.create(Pod, {
    metadata: { name, namespace: "default" },
    spec: { containers: [{ name: "main", image: "busybox", command: ["sh", "-c", script], env }] },
  });
for (const name of names)
  await client.waitFor(Pod, { name, namespace: "default" }, ({ status }) => status.containerStatuses?.[0]?.ready === true, {
    timeout: 60_000,
  });
const { streams } = cluster.nodes[0]!;
// An exec session is open as well.
await streams.exec({ namespace: "default", pod: "one", uid: "", container: "main" }, ["sleep", "1000"], {
  stdin: false,
  stdout: true,
  stderr: true,
  tty: false,
});
process.on("SIGTERM", () => void cluster.stop().then(() => process.exit(0)));
console.log("ready");
