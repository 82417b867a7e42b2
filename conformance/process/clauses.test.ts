/** Tests what a user does with pods that are processes, using only kubectl. */
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { type Cluster, startCluster } from "@pintle/cluster";
import { Event, Pod, Service } from "pintle/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { full } from "../sampling.ts";
import { createKubectl, type Kubectl } from "./kubectl.ts";
import { modes } from "./modes.ts";

const PATIENCE = 120_000;
const within = { timeout: PATIENCE };
const FOREVER = "trap 'exit 0' TERM; while true; do sleep 0.1; done";
const labelledMetadata = (name: string) => ({ name, namespace: "default", labels: { app: name } });
const pod = (name: string, spec: object) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { ...labelledMetadata(name), annotations: { colour: "green" } },
  spec: { terminationGracePeriodSeconds: 5, ...spec },
});
const shell = (script: string, more: object = {}) => ({ name: "main", image: "busybox", command: ["sh", "-c", script], ...more });
const node = (script: string, more: object = {}) => ({ name: "main", image: "node:20", command: ["node", "-e", script], ...more });
const field = (name: string, fieldPath: string) => ({ name, valueFrom: { fieldRef: { fieldPath } } });
const POD_IP = field("IP", "status.podIP");

describe.runIf(full).each(modes)("%s", { timeout: 2 * PATIENCE }, (mode) => {
  let cluster: Cluster;
  let kubectl: Kubectl;
  beforeAll(async () => {
    cluster = await startCluster({ http: true, nodes: { kind: "process", mode } });
    await cluster.ready;
    kubectl = await createKubectl(cluster);
  }, PATIENCE);
  afterAll(async () => {
    await kubectl?.[Symbol.asyncDispose]();
    await cluster?.stop();
  }, PATIENCE);

  const waitForPod = (name: string, holds: (pod: Pod) => boolean) =>
    cluster.client().waitFor(Pod, { name, namespace: "default" }, holds, within);
  const getFirstStatus = ({ status }: Pod) => status.containerStatuses?.[0];
  const isReady = ({ status }: Pod) => status.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true;

  /** Waits until an Event about the pod contains the message. */
  async function waitForEvent(name: string, message: string): Promise<void> {
    const options = { namespace: "default", resourceVersion: "0", signal: AbortSignal.timeout(PATIENCE) };
    for await (const { type, object } of cluster.client().watch(Event, options))
      if (type !== "BOOKMARK" && object.involvedObject.name === name && object.message === message) return;
  }

  test.concurrent("a container has its environment variables and mounted volumes", async () => {
    await kubectl.apply([
      { apiVersion: "v1", kind: "ConfigMap", metadata: labelledMetadata("settings"), data: { shape: "round", size: "3" } },
      { apiVersion: "v1", kind: "Secret", metadata: labelledMetadata("settings"), stringData: { word: "sesame" } },
      {
        apiVersion: "v1",
        kind: "Service",
        metadata: labelledMetadata("known"),
        spec: { selector: { app: "known" }, ports: [{ port: 81 }] },
      },
      {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        metadata: labelledMetadata("kept"),
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Mi" } } },
      },
    ]);
    const service = await cluster.client().waitFor(Service, { name: "known", namespace: "default" }, () => true, within);
    const env = [
      POD_IP,
      field("NAME", "metadata.name"),
      field("NODE", "spec.nodeName"),
      field("LABEL", "metadata.labels['app']"),
      field("COLOUR", "metadata.annotations['colour']"),
      { name: "MEMORY", valueFrom: { resourceFieldRef: { resource: "limits.memory", divisor: "1Mi" } } },
      { name: "SHAPE", valueFrom: { configMapKeyRef: { name: "settings", key: "shape" } } },
      { name: "WORD", valueFrom: { secretKeyRef: { name: "settings", key: "word" } } },
      { name: "BOTH", value: "$(NAME)/$(SHAPE)" },
    ];
    const envFrom = [{ configMapRef: { name: "settings" }, prefix: "ALL_" }];
    const volumes = [
      { name: "config", configMap: { name: "settings" } },
      { name: "secret", secret: { secretName: "settings", items: [{ key: "word", path: "inner/word" }] } },
      {
        name: "all",
        projected: {
          sources: [
            { serviceAccountToken: { path: "token", audience: "example" } },
            { downwardAPI: { items: [{ path: "labels", fieldRef: { fieldPath: "metadata.labels" } }] } },
            { configMap: { name: "settings", items: [{ key: "size", path: "size" }] } },
          ],
        },
      },
      { name: "empty", emptyDir: {} },
      { name: "claim", persistentVolumeClaim: { claimName: "kept" } },
    ];
    const volumeMounts = volumes.map(({ name }) => ({ name, mountPath: `/mnt/${name}` }));
    const resources = { limits: { memory: "256Mi" } };
    await kubectl.apply([pod("settings", { volumes, containers: [shell(FOREVER, { env, envFrom, volumeMounts, resources })] })]);
    const ready = await waitForPod("settings", isReady);
    const runInPod = (script: string) => kubectl.run("exec", "settings", "--", "sh", "-c", script);
    const words = '"$NAME $NODE $LABEL $COLOUR $MEMORY $SHAPE $WORD $BOTH $ALL_size"';
    expect(await runInPod(`echo ${words}`)).toBe("settings node-1 settings green 256 round sesame settings/round 3\n");
    expect(await runInPod("echo $IP $KNOWN_SERVICE_HOST:$KNOWN_SERVICE_PORT")).toBe(`${ready.status.podIP} ${service.spec.clusterIP}:81\n`);
    expect(await runInPod("cat /mnt/config/shape /mnt/secret/inner/word /mnt/all/size")).toBe("roundsesame3");
    expect(await runInPod("cat /mnt/all/labels")).toContain('app="settings"');
    const claims = (await runInPod("cut -d. -f2 /mnt/all/token")).trim();
    expect(JSON.parse(Buffer.from(claims, "base64url").toString())).toMatchObject({ aud: ["example"] });
    await runInPod("echo mine > /mnt/empty/a; echo ours > /mnt/claim/a");

    await writeFile(path.join(kubectl.folder, "sent"), "over the wire\n");
    await kubectl.run("cp", "sent", "settings:/mnt/empty/sent");
    await kubectl.run("cp", "settings:/mnt/empty/sent", "back");
    expect(await readFile(path.join(kubectl.folder, "back"), "utf8")).toBe("over the wire\n");

    await kubectl.run("delete", "pod", "settings");
    await kubectl.apply([pod("settings-again", { volumes, containers: [shell(FOREVER, { volumeMounts })] })]);
    await waitForPod("settings-again", isReady);
    expect(await kubectl.run("exec", "settings-again", "--", "sh", "-c", "cat /mnt/claim/a; ls /mnt/empty")).toBe("ours\n");
  });

  test.concurrent("the API server authenticates a pod's service account token", async () => {
    await kubectl.apply([pod("known", { containers: [shell(FOREVER)] })]);
    await waitForPod("known", isReady);
    const token = (await kubectl.run("exec", "known", "--", "cat", "/var/run/secrets/kubernetes.io/serviceaccount/token")).trim();
    const config = path.join(kubectl.folder, "of-pod");
    const { clusters } = JSON.parse(await kubectl.run("config", "view", "--raw", "--minify", "-o", "json"));
    const context = { name: "pod", context: { cluster: clusters[0].name, user: "pod" } };
    const users = [{ name: "pod", user: { token } }];
    await writeFile(
      config,
      JSON.stringify({ apiVersion: "v1", kind: "Config", "current-context": "pod", clusters, contexts: [context], users }),
    );
    expect(await kubectl.run("--kubeconfig", config, "auth", "whoami")).toContain("system:serviceaccount:default:default");
  });

  test.concurrent("runs exec, HTTP and TCP probes, and follows logs", async () => {
    const script = `
      const http = require("node:http");
      let requests = 0;
      http.createServer(({ url }, answer) => {
        if (url === "/late") console.log("request " + ++requests);
        answer.statusCode = url === "/late" && requests < 2 ? 503 : 200;
        answer.end("ok");
      }).listen(8080, process.env.IP, () => console.log("listening"));
      process.on("SIGTERM", () => process.exit(0));`;
    const often = { periodSeconds: 1, failureThreshold: 60 };
    const container = node(script, {
      env: [POD_IP],
      ports: [{ name: "web", containerPort: 8080 }],
      startupProbe: { tcpSocket: { port: "web" }, ...often },
      readinessProbe: { httpGet: { path: "/late", port: 8080 }, ...often },
      livenessProbe: { exec: { command: ["true"] }, ...often },
    });
    await kubectl.apply([pod("probed", { containers: [container] })]);
    await waitForPod("probed", (each) => getFirstStatus(each)?.state?.running !== undefined);
    const log = kubectl.follow("logs", "-f", "probed");
    await log.waitForOutput(/listening\nrequest 1\nrequest 2\n/);
    log.stop();
    await waitForPod("probed", isReady);

    const forward = kubectl.follow("port-forward", "probed", ":8080");
    const [, port] = await forward.waitForOutput(/Forwarding from 127\.0\.0\.1:(\d+) -> 8080/);
    expect(await (await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: "close" } })).text()).toBe("ok");
    forward.stop();
    expect(await kubectl.run("top", "pod", "probed")).toMatch(/^probed +\d+m +\d+Mi/m);
    expect(await kubectl.run("top", "node")).toMatch(/^node-1 +\d+m/m);
  });

  test.concurrent("reports exit codes, signals and OOM kills, and runs lifecycle hooks", async () => {
    const greedy = "const all = []; setInterval(() => all.push(Buffer.alloc(8e6, 1)), 5)";
    const once = { restartPolicy: "Never" };
    await kubectl.apply([
      pod("code", { ...once, containers: [shell("exit 3")] }),
      pod("signal", { ...once, containers: [shell("kill -9 $$$$")] }),
      pod("greedy", { ...once, containers: [node(greedy, { resources: { limits: { memory: "128Mi" } } })] }),
      pod("again", { containers: [shell("exit 1")] }),
      pod("orderly", {
        ...once,
        volumes: [{ name: "v", emptyDir: {} }],
        initContainers: [
          shell("echo init >> /mnt/v/log", { name: "init", volumeMounts: [{ name: "v", mountPath: "/mnt/v" }] }),
          shell(FOREVER, { name: "side", restartPolicy: "Always" }),
        ],
        containers: [shell("cat /mnt/v/log", { volumeMounts: [{ name: "v", mountPath: "/mnt/v" }] })],
      }),
      pod("polite", {
        volumes: [{ name: "v", emptyDir: {} }],
        containers: [
          shell("trap 'cat /mnt/v/log; exit 0' TERM; echo here; while true; do sleep 0.1; done", {
            volumeMounts: [{ name: "v", mountPath: "/mnt/v" }],
            lifecycle: { preStop: { exec: { command: ["sh", "-c", "echo bye > /mnt/v/log"] } } },
          }),
        ],
      }),
    ]);
    const readTermination = async (name: string) =>
      getFirstStatus(await waitForPod(name, ({ status }) => status.phase === "Failed"))?.state?.terminated;
    expect(await readTermination("code")).toMatchObject({ exitCode: 3, reason: "Error" });
    expect(await readTermination("signal")).toMatchObject({ exitCode: 137, reason: "Error" });
    expect(await readTermination("greedy")).toMatchObject({ exitCode: 137, reason: "OOMKilled" });
    await waitForPod(
      "again",
      (each) => getFirstStatus(each)?.state?.waiting?.reason === "CrashLoopBackOff" && getFirstStatus(each)?.restartCount === 1,
    );
    await waitForPod("orderly", ({ status }) => status.phase === "Succeeded");
    expect(await kubectl.run("logs", "orderly", "-c", "main")).toBe("init\n");

    await waitForPod("polite", isReady);
    const log = kubectl.follow("logs", "-f", "polite");
    await log.waitForOutput(/here\n/);
    await kubectl.run("delete", "pod", "polite", "--wait=false");
    await log.waitForOutput(/bye\n/);
    await cluster.client().waitForDeletion(Pod, { name: "polite", namespace: "default" }, within);
  });

  test.concurrent("reports why a container cannot be started", async () => {
    const missing = { name: "A", valueFrom: { configMapKeyRef: { name: "nowhere", key: "a" } } };
    await kubectl.apply([
      pod("unknown", { containers: [{ name: "main", image: "example.com/nothing:v1" }] }),
      pod("misled", { containers: [shell(FOREVER, { env: [missing] })] }),
    ]);
    await waitForPod("unknown", (each) => /^(ErrImagePull|ImagePullBackOff)$/.test(getFirstStatus(each)?.state?.waiting?.reason ?? ""));
    const misled = await waitForPod("misled", (each) => getFirstStatus(each)?.state?.waiting?.reason === "CreateContainerConfigError");
    expect(getFirstStatus(misled)?.state?.waiting?.message).toBe('configmap "nowhere" not found');
    await waitForEvent("unknown", "Error: ErrImagePull");
    await waitForEvent("misled", 'Error: configmap "nowhere" not found');
  });

  test.concurrent("Services route TCP and UDP to pods by DNS name", async () => {
    const script = `
      const { IP } = process.env;
      require("node:http").createServer((_, answer) => answer.end("over TCP")).listen(8080, IP);
      const socket = require("node:dgram").createSocket("udp4");
      socket.on("message", (_, from) => socket.send("over UDP", from.port, from.address));
      socket.bind(5353, IP);
      process.on("SIGTERM", () => process.exit(0));`;
    const ports = [
      { name: "web", port: 80, targetPort: 8080 },
      { name: "talk", port: 53, targetPort: 5353, protocol: "UDP" },
    ].map((each) => (mode === "loopback" ? { ...each, port: each.port + 8000 } : each));
    await kubectl.apply([
      { apiVersion: "v1", kind: "Service", metadata: labelledMetadata("talks"), spec: { selector: { app: "talks" }, ports } },
      pod("talks", { containers: [node(script, { env: [POD_IP], readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 } })] }),
    ]);
    await waitForPod("talks", isReady);
    const asks = `
      const [web, talk] = process.argv.slice(-2);
      const again = (work) => work().catch(() => new Promise((done) => setTimeout(done, 200)).then(() => again(work)));
      const page = again(() => fetch(web).then((answer) => answer.text()));
      const word = new Promise((resolve) => {
        const socket = require("node:dgram").createSocket("udp4");
        const [host, port] = talk.split(":");
        const timer = setInterval(() => socket.send("?", Number(port), host, () => {}), 200);
        socket.on("error", () => {});
        socket.on("message", (text) => { clearInterval(timer); socket.close(); resolve(text.toString()); });
      });
      Promise.all([page, word]).then((texts) => console.log(texts.join(", ")));`;
    const name = "talks.default.svc";
    const args = [asks, `http://${name}:${ports[0]!.port}/`, `${name}:${ports[1]!.port}`];
    await kubectl.apply([
      pod("asks", { restartPolicy: "Never", containers: [{ name: "main", image: "node:20", command: ["node", "-e"], args }] }),
    ]);
    await waitForPod("asks", ({ status }) => status.phase === "Succeeded");
    expect(await kubectl.run("logs", "asks")).toBe("over TCP, over UDP\n");
  });
});
