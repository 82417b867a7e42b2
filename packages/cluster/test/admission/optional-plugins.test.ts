import { expect, test } from "vitest";
import { startTestApiServer } from "../api/harness.ts";
import { REQUESTS } from "../controllers/certificate-requests.ts";

const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };

test("AlwaysDeny refuses every write", async () => {
  await using api = await startTestApiServer({ admissionPlugins: { enable: ["AlwaysDeny"] } });
  const { status, body } = await api.send("POST", "/api/v1/namespaces/default/configmaps", configMap);
  expect([status, body.message]).toEqual([403, 'configmaps "a" is forbidden: admission control is denying all modifications']);
  expect((await api.send("GET", "/api/v1/namespaces/default/configmaps")).status).toBe(200);
});

test("NamespaceAutoProvision creates missing namespaces; without it they are not found", async () => {
  await using api = await startTestApiServer({ admissionPlugins: { enable: ["NamespaceAutoProvision"] } });
  expect((await api.send("POST", "/api/v1/namespaces/fresh/configmaps", configMap)).status).toBe(201);
  expect((await api.send("GET", "/api/v1/namespaces/fresh")).body).toMatchObject({ spec: { finalizers: ["kubernetes"] } });
  await using plain = await startTestApiServer();
  expect((await plain.send("POST", "/api/v1/namespaces/fresh/configmaps", configMap)).status).toBe(404);
});

test("NamespaceExists refuses writes in missing namespaces when NamespaceLifecycle is disabled", async () => {
  await using api = await startTestApiServer({ admissionPlugins: { enable: ["NamespaceExists"], disable: ["NamespaceLifecycle"] } });
  const { status, body } = await api.send("POST", "/api/v1/namespaces/nowhere/configmaps", configMap);
  expect([status, body.message]).toEqual([404, 'namespaces "nowhere" not found']);
});

test("EventRateLimit refills with time, and limits each user by itself", async () => {
  const eventRateLimits = [{ type: "User", qps: 1, burst: 1 }] as const;
  await using api = await startTestApiServer({ admissionPlugins: { enable: ["EventRateLimit"], eventRateLimits } });
  const send = async (name: string) => {
    const event = { apiVersion: "v1", kind: "Event", metadata: { name }, involvedObject: { namespace: "default" }, type: "Normal" };
    return (await api.send("POST", "/api/v1/namespaces/default/events", event)).status;
  };
  expect([await send("a"), await send("b")]).toEqual([201, 429]);
  await api.clock.advance(1000);
  expect(await send("b")).toBe(201);
});

test("ImagePolicyWebhook admits pods while the backend fails only with defaultAllow, and caches decisions", async () => {
  let reviews = 0;
  const imagePolicy = {
    async postReview(): Promise<unknown> {
      reviews++;
      return { status: { allowed: false, reason: "no" } };
    },
    allowTtl: 1000,
    denyTtl: 1000,
    retryBackoff: 0,
    defaultAllow: true,
  };
  const enable = ["ImagePolicyWebhook"];
  const disable = ["ServiceAccount"];
  await using api = await startTestApiServer({ admissionPlugins: { enable, disable, imagePolicy } });
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec: { containers: [{ name: "main", image: "app" }] } };
  const send = async () => (await api.send("POST", "/api/v1/namespaces/default/pods", pod)).body;
  const message = 'pods "a" is forbidden: image policy webhook backend denied one or more images: no';
  expect([(await send()).message, (await send()).message, reviews]).toEqual([message, message, 1]);
  imagePolicy.postReview = () => Promise.reject(new Error("unreachable"));
  await api.clock.advance(1001);
  expect((await send()).kind).toBe("Pod");
});

test("CertificateSubjectRestriction refuses client certificates of administrators", async () => {
  await using api = await startTestApiServer();
  const send = (request: string, name: string) =>
    api.send("POST", "/apis/certificates.k8s.io/v1/certificatesigningrequests", {
      apiVersion: "certificates.k8s.io/v1",
      kind: "CertificateSigningRequest",
      metadata: { name },
      spec: { request, signerName: "kubernetes.io/kube-apiserver-client", usages: ["client auth"] },
    });
  expect((await send(REQUESTS.developer, "jane")).status).toBe(201);
  const { status, body } = await send(REQUESTS.master, "root");
  const why = "use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed";
  expect([status, body.message]).toEqual([403, `certificatesigningrequests.certificates.k8s.io "root" is forbidden: ${why}`]);
});

test("PodResizeValidator refuses a resize beyond the node", async () => {
  await using api = await startTestApiServer({ admissionPlugins: { disable: ["ServiceAccount"] } });
  await api.send("POST", "/api/v1/nodes", { apiVersion: "v1", kind: "Node", metadata: { name: "small" } });
  const allocatable = { cpu: "2", memory: "1Gi" };
  await api.send("PUT", "/api/v1/nodes/small/status", {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "small" },
    status: { allocatable },
  });
  const pod = (cpu: string, memory: string) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "a" },
    spec: { nodeName: "small", containers: [{ name: "main", image: "app", resources: { requests: { cpu, memory } } }] },
  });
  await api.send("POST", "/api/v1/namespaces/default/pods", pod("1", "1Gi"));
  const resize = async (cpu: string, memory: string) => {
    const spec = { containers: [{ name: "main", resources: { requests: { cpu, memory } } }] };
    const type = "application/strategic-merge-patch+json";
    return (await api.send("PATCH", "/api/v1/namespaces/default/pods/a/resize", { spec }, { type })).body;
  };
  expect((await resize("1500m", "1Gi")).kind).toBe("Pod");
  expect(await resize("3", "2Gi")).toMatchObject({
    code: 403,
    message:
      'pods "a" is forbidden: node didn\'t have enough allocatable resources: cpu, requested: 3000, allocatable: 2000; memory, requested: 2147483648, allocatable: 1073741824',
    details: { causes: [{ reason: "NodeCapacity" }] },
  });
});
