/** Pods whose containers are shell processes of this machine, without privileges. */

import type { Client } from "pintle/client";
import { ConfigMap, type Container, Event, PersistentVolumeClaim, Pod, type Pod as PodObject, Secret, Service } from "pintle/kinds/core/v1";
import { EndpointSlice } from "pintle/kinds/discovery/v1";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/index.ts";

describe.runIf(process.platform === "linux")("pods of a process node", () => {
  const NAMESPACE = "default";
  const within = { timeout: 20_000 };
  let cluster: Cluster;
  let client: Client;
  beforeAll(async () => {
    cluster = await startCluster({ nodes: { kind: "process", mode: "loopback" } });
    await cluster.ready;
    client = cluster.client();
  }, 60_000);
  afterAll(async () => cluster?.stop(), 60_000);

  const shell = (script: string, more: Partial<Container> = {}): Container => ({
    name: "main",
    image: "busybox",
    command: ["sh", "-c", script],
    ...more,
  });
  const forever = "trap 'exit 0' TERM; while true; do sleep 0.1; done";

  async function createPod(name: string, spec: object): Promise<{ readonly name: string; readonly namespace: string }> {
    await client.create(Pod, { metadata: { name, namespace: NAMESPACE }, spec: { terminationGracePeriodSeconds: 5, ...spec } } as never);
    return { name, namespace: NAMESPACE };
  }
  const waitForPod = (ref: { readonly name: string; readonly namespace: string }, holds: (pod: PodObject) => boolean) =>
    client.waitFor(Pod, ref, holds, within);
  const first = (pod: PodObject) => pod.status.containerStatuses?.[0];
  const isReady = (pod: PodObject) => pod.status.conditions?.some(({ type, status }) => type === "Ready" && status === "True") === true;
  const target = (pod: string, container = "main") => ({ namespace: NAMESPACE, pod, uid: "", container });

  async function text(from: AsyncIterable<Uint8Array>): Promise<string> {
    let all = "";
    for await (const bytes of from) all += Buffer.from(bytes).toString();
    return all;
  }
  async function exec(pod: string, ...command: readonly string[]) {
    const session = await cluster.nodes[0]!.streams.exec(target(pod), command, { stdin: false, stdout: true, stderr: true, tty: false });
    const [out, errors] = await Promise.all([text(session.stdout), text(session.stderr)]);
    return { out, errors, end: await session.end };
  }
  const logs = (pod: string, previous = false, container = "main") =>
    text(
      cluster.nodes[0]!.streams.logs(target(pod, container), { follow: false, previous, timestamps: false }, new AbortController().signal),
    );
  const listEvents = async (pod: string) =>
    (await client.list(Event, { namespace: NAMESPACE })).items.filter(({ involvedObject }) => involvedObject.name === pod);

  /** Waits for an event about a pod. */
  async function waitForEvent(pod: string, reason: string): Promise<string> {
    const options = { namespace: NAMESPACE, resourceVersion: "0", signal: AbortSignal.timeout(within.timeout) };
    for await (const { type, object } of client.watch(Event, options))
      if (type === "ADDED" && object.involvedObject.name === pod && object.reason === reason) return object.message ?? "";
    throw new Error(`no event ${reason} about ${pod}`);
  }

  test.concurrent("report exit codes and termination messages", async () => {
    const spec = { restartPolicy: "Never", containers: [shell("echo hello; echo why > /dev/termination-log; exit 3", { name: "main" })] };
    const ref = await createPod("ends", spec);
    const pod = await waitForPod(ref, ({ status }) => status.phase === "Failed");
    expect(first(pod)?.state?.terminated).toMatchObject({ exitCode: 3, reason: "Error", message: "why\n" });
    expect(await logs("ends")).toBe("hello\n");
    const succeeded = await waitForPod(
      await createPod("succeeds", { ...spec, containers: [shell("true")] }),
      ({ status }) => status.phase === "Succeeded",
    );
    expect(first(succeeded)?.state?.terminated).toMatchObject({ exitCode: 0, reason: "Completed" });
    expect(succeeded.status.conditions?.find(({ type }) => type === "Ready")).toMatchObject({ status: "False", reason: "PodCompleted" });
  });

  test.concurrent("run init containers in order and stop sidecars last", async () => {
    const volume = { volumes: [{ name: "v", emptyDir: {} }] };
    const at = { volumeMounts: [{ name: "v", mountPath: "/v" }] };
    const ref = await createPod("steps", {
      ...volume,
      restartPolicy: "Never",
      initContainers: [
        shell("echo one >> /v/out", { ...at, name: "one" }),
        shell(forever, { ...at, name: "side", restartPolicy: "Always" }),
        shell("echo two >> /v/out", { ...at, name: "two" }),
      ],
      containers: [shell("cat /v/out", at)],
    });
    const pod = await waitForPod(ref, ({ status }) => status.phase === "Succeeded");
    expect(await logs("steps")).toBe("one\ntwo\n");
    const states = pod.status.initContainerStatuses?.map(({ name, state }) => [name, state?.terminated?.reason]);
    expect(states).toEqual([
      ["one", "Completed"],
      ["side", "Completed"],
      ["two", "Completed"],
    ]);
  });

  test.concurrent("restart a crashing container with a back-off", async () => {
    const ref = await createPod("crashes", { containers: [shell("echo run; exit 1")] });
    const pod = await waitForPod(ref, (each) => first(each)?.state?.waiting?.reason === "CrashLoopBackOff");
    expect(first(pod)).toMatchObject({ restartCount: 1, ready: false, lastState: { terminated: { exitCode: 1 } } });
    expect(first(pod)?.state?.waiting?.message).toMatch(/^back-off 10s restarting failed container=main pod=crashes_default\(.*\)$/);
    expect(await logs("crashes", true)).toBe("run\n");
    await client.delete(Pod, ref);
    await client.waitForDeletion(Pod, ref, within);
  });

  test.concurrent("report ErrImagePull for an unknown image", async () => {
    const ref = await createPod("unknown", { containers: [{ name: "main", image: "example.com/nothing:v1" }] });
    const pod = await waitForPod(ref, (each) => first(each)?.state?.waiting?.reason === "ErrImagePull");
    expect(first(pod)?.state?.waiting?.message).toContain('failed to pull and unpack image "example.com/nothing:v1"');
    await waitForPod(ref, (each) => first(each)?.state?.waiting?.reason === "ImagePullBackOff");
    const reasons = (await listEvents("unknown")).map(({ reason, message }) => `${reason}: ${message}`);
    expect(reasons).toContain('Pulling: Pulling image "example.com/nothing:v1"');
    expect(reasons).toContain("Failed: Error: ErrImagePull");
  });

  test.concurrent("receive downward API fields, ConfigMaps, Secrets and the service account", async () => {
    await client.create(ConfigMap, { metadata: { name: "configured", namespace: NAMESPACE }, data: { colour: "blue" } });
    await client.create(Secret, { metadata: { name: "configured", namespace: NAMESPACE }, stringData: { word: "secret" } } as never);
    const env = [
      { name: "POD", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
      { name: "IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
      { name: "COLOUR", valueFrom: { configMapKeyRef: { name: "configured", key: "colour" } } },
      { name: "BOTH", value: "$(POD)-$(COLOUR)" },
    ];
    const volumes = [
      { name: "config", configMap: { name: "configured" } },
      { name: "secret", secret: { secretName: "configured" } },
    ];
    const volumeMounts = [
      { name: "config", mountPath: "/etc/config" },
      { name: "secret", mountPath: "/etc/secret" },
    ];
    const ref = await createPod("configured", { volumes, containers: [shell(forever, { env, volumeMounts })] });
    const pod = await waitForPod(ref, isReady);
    const script = 'echo "$POD $IP $BOTH"; cat /etc/config/colour /etc/secret/word';
    expect((await exec("configured", "sh", "-c", script)).out).toBe(`configured ${pod.status.podIP} configured-blue\nbluesecret`);
    const account = "/var/run/secrets/kubernetes.io/serviceaccount";
    const own = await exec(
      "configured",
      "sh",
      "-c",
      `cat ${account}/namespace; echo; head -c 27 ${account}/ca.crt; echo; wc -c < ${account}/token`,
    );
    expect(own.out).toMatch(/^default\n-----BEGIN CERTIFICATE-----\n\d{3,}\n$/);
    expect((await exec("configured", "sh", "-c", "echo $KUBERNETES_SERVICE_PORT")).out.trim()).toBe(new URL(cluster.url).port);
  });

  test.concurrent("wait for a missing ConfigMap and report its name", async () => {
    const env = [{ name: "A", valueFrom: { configMapKeyRef: { name: "later", key: "a" } } }];
    const ref = await createPod("waits", { containers: [shell(forever, { env })] });
    const pod = await waitForPod(ref, (each) => first(each)?.state?.waiting?.reason === "CreateContainerConfigError");
    expect(first(pod)?.state?.waiting?.message).toBe('configmap "later" not found');
    const hostPath = {
      volumes: [{ name: "h", hostPath: { path: "/etc" } }],
      containers: [shell(forever, { volumeMounts: [{ name: "h", mountPath: "/h" }] })],
    };
    const refused = await waitForPod(
      await createPod("reaches-out", hostPath),
      (each) => first(each)?.state?.waiting?.reason === "CreateContainerConfigError",
    );
    expect(first(refused)?.state?.waiting?.message).toContain("hostPath /etc is outside of the folder of the cluster's nodes");
  });

  test.concurrent("run the preStop hook and receive SIGTERM when they are deleted", async () => {
    const lifecycle = { preStop: { exec: { command: ["sh", "-c", "echo hook >> /v/out"] } } };
    const script = "trap 'echo term >> /v/out; exit 0' TERM; while true; do sleep 0.05; done";
    const ref = await createPod("goes", {
      volumes: [{ name: "v", persistentVolumeClaim: { claimName: "goes" } }],
      containers: [shell(script, { lifecycle, volumeMounts: [{ name: "v", mountPath: "/v" }] })],
    });
    await client.create(PersistentVolumeClaim, {
      metadata: { name: "goes", namespace: NAMESPACE },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Mi" } } },
    });
    await waitForPod(ref, isReady);
    await client.delete(Pod, ref);
    await client.waitForDeletion(Pod, ref, within);
    const next = { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "goes" } }], restartPolicy: "Never" };
    const reader = await createPod("reads", {
      ...next,
      containers: [shell("cat /v/out", { volumeMounts: [{ name: "v", mountPath: "/v" }] })],
    });
    await waitForPod(reader, ({ status }) => status.phase === "Succeeded");
    expect(await logs("reads")).toBe("hook\nterm\n");
    expect((await listEvents("goes")).map(({ reason }) => reason)).toContain("Killing");
  });

  test.concurrent("are killed after the grace period", async () => {
    const ref = await createPod("deaf", {
      terminationGracePeriodSeconds: 1,
      containers: [shell("trap '' TERM; while true; do sleep 0.1; done")],
    });
    await waitForPod(ref, isReady);
    await client.delete(Pod, ref);
    await client.waitForDeletion(Pod, ref, within);
  });

  test.concurrent("become ready and are restarted by their probes", async () => {
    const at = { volumeMounts: [{ name: "v", mountPath: "/v" }] };
    const probe = (file: string, more: object = {}) => ({ exec: { command: ["test", "-e", file] }, periodSeconds: 1, ...more });
    const ref = await createPod("probed", {
      volumes: [{ name: "v", emptyDir: {} }],
      containers: [
        shell(forever, {
          ...at,
          readinessProbe: probe("/v/ready"),
          livenessProbe: probe("/v/alive", { failureThreshold: 1, initialDelaySeconds: 3 }),
        }),
      ],
    });
    const started = await waitForPod(ref, (pod) => first(pod)?.started === true);
    expect(first(started)?.ready).toBe(false);
    await exec("probed", "touch", "/v/ready", "/v/alive");
    await waitForPod(ref, isReady);
    await exec("probed", "rm", "/v/ready");
    await waitForPod(ref, (pod) => first(pod)?.started === true && !isReady(pod));
    await exec("probed", "rm", "/v/alive");
    await waitForPod(ref, (pod) => first(pod)?.restartCount === 1);
    const reasons = (await listEvents("probed")).map(({ message }) => message);
    expect(reasons).toContain("Container main failed liveness probe, will be restarted");
  });

  test.concurrent("return the exit code of an exec, and an error for an unknown program", async () => {
    await waitForPod(await createPod("runs", { containers: [shell(forever)] }), isReady);
    expect((await exec("runs", "sh", "-c", "echo out; echo err >&2; exit 7")).end).toEqual({ code: 7 });
    await expect(exec("runs", "no-such-program")).rejects.toThrow('exec: "no-such-program": executable file not found in $PATH');
  });

  test.concurrent("are killed with OOMKilled above their memory limit", async () => {
    const script = "const all = []; setInterval(() => all.push(Buffer.alloc(8e6, 1)), 5)";
    const container = { name: "main", image: "node:20", command: ["node", "-e", script], resources: { limits: { memory: "128Mi" } } };
    const pod = await waitForPod(
      await createPod("greedy", { restartPolicy: "Never", containers: [container] }),
      ({ status }) => status.phase === "Failed",
    );
    expect(first(pod)?.state?.terminated).toMatchObject({ reason: "OOMKilled", exitCode: 137 });
  });

  test.concurrent("wait for the ConfigMap of a volume", async () => {
    const volumes = [{ name: "v", configMap: { name: "not-yet" } }];
    const ref = await createPod("patient", { volumes, containers: [shell(forever, { volumeMounts: [{ name: "v", mountPath: "/v" }] })] });
    const because = 'MountVolume.SetUp failed for volume "v" : configmap "not-yet" not found';
    expect(await waitForEvent("patient", "FailedMount")).toBe(because);
    expect(first(await client.get(Pod, ref))?.state?.waiting?.reason).toBe("ContainerCreating");
    await client.create(ConfigMap, { metadata: { name: "not-yet", namespace: NAMESPACE }, data: { a: "1" } });
    await waitForPod(ref, isReady);
    expect((await exec("patient", "cat", "/v/a")).out).toBe("1");
  });

  test.concurrent("are reachable through a Service at its cluster IP and node port", async () => {
    const script = `require("node:http").createServer((_, answer) => answer.end("hello")).listen(8080, process.env.IP)`;
    const env = [{ name: "IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } }];
    const container = {
      name: "main",
      image: "node:20",
      command: ["node", "-e", script],
      env,
      readinessProbe: { httpGet: { port: 8080 }, periodSeconds: 1 },
    };
    const name = "greets";
    await client.create(Service, {
      metadata: { name, namespace: NAMESPACE },
      spec: { type: "NodePort", selector: { app: name }, ports: [{ port: 8081, targetPort: 8080 }] },
    });
    await client.create(Pod, {
      metadata: { name, namespace: NAMESPACE, labels: { app: name } },
      spec: { containers: [container] },
    } as never);
    await waitForPod({ name, namespace: NAMESPACE }, isReady);
    const { spec } = await client.get(Service, { name, namespace: NAMESPACE });
    const hasReadyEndpoint = (slice: EndpointSlice) => slice.endpoints?.some(({ conditions }) => conditions?.ready === true) === true;
    const [slice] = (await client.list(EndpointSlice, { namespace: NAMESPACE, labels: { "kubernetes.io/service-name": name } })).items;
    await client.waitFor(EndpointSlice, slice!.metadata, hasReadyEndpoint, within);
    const fetchText = (address: string) => fetch(`http://${address}/`).then((answer) => answer.text());
    expect(await fetchText(`${spec.clusterIP}:8081`)).toBe("hello");
    expect(await fetchText(`127.0.0.1:${spec.ports![0]!.nodePort}`)).toBe("hello");
    // A service name in arguments or variables is replaced by its address.
    const caller = await createPod("calls", {
      restartPolicy: "Never",
      containers: [shell('echo "$URL"', { env: [{ name: "URL", value: `http://${name}.${NAMESPACE}.svc:8081` }] })],
    });
    await waitForPod(caller, ({ status }) => status.phase === "Succeeded");
    expect(await logs("calls")).toBe(`http://${spec.clusterIP}:8081\n`);
  });

  test("report nothing while the node is disconnected, and everything after it reconnects", async () => {
    const ref = await createPod("lonely", { containers: [shell(forever)] });
    await waitForPod(ref, isReady);
    const { faults } = cluster.nodes[0]!;
    faults.disconnect();
    faults.kill({ namespace: NAMESPACE, pod: "lonely" });
    expect(first(await client.get(Pod, ref))?.restartCount).toBe(0);
    await faults.reconnect();
    await waitForPod(ref, (pod) => first(pod)?.restartCount === 1 && isReady(pod));
  });
});
