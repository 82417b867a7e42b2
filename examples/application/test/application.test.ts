import { startCluster } from "@pintle/cluster";
import { silentLogger, startManager } from "pintle";
import { type Client, createClient, hasCondition } from "pintle/client";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { Deployment } from "pintle/kinds/apps/v1";
import { Pod, Service } from "pintle/kinds/core/v1";
import { Ingress } from "pintle/kinds/networking/v1";
import { simulate } from "pintle/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Application, application } from "../src/application.ts";

const ref = { name: "shop", namespace: "default" };
const spec = { image: "nginx:1.27", replicas: 2, host: "shop.example.com" };

describe("simulated, without an API server", () => {
  test("creates a Deployment, a Service on port 8080 and an Ingress of class nginx", async () => {
    const simulation = await simulate(application, [Application.desired({ metadata: ref, spec })]);
    expect(simulation.get(Deployment, ref)?.spec.template.spec?.containers[0]).toMatchObject({
      image: "nginx:1.27",
      ports: [{ containerPort: 8080 }],
    });
    expect(simulation.get(Service, ref)?.spec).toMatchObject({ type: "ClusterIP", ports: [{ port: 8080, targetPort: "http" }] });
    expect(simulation.get(Ingress, ref)?.spec).toMatchObject({ ingressClassName: "nginx", rules: [{ host: "shop.example.com" }] });
  });

  test("creates no Ingress without a host", async () => {
    const simulation = await simulate(application, [Application.desired({ metadata: ref, spec: { image: "nginx:1.27" } })]);
    expect(simulation.get(Ingress, ref)).toBeUndefined();
    expect(simulation.get(Application, ref)?.status?.address).toBe("http://shop.default.svc:8080");
  });
});

describe("on a cluster", { timeout: 120_000 }, () => {
  const within = { timeout: 60_000 };
  let client: Client;
  let stop: () => Promise<void>;

  beforeAll(async () => {
    const cluster = await startCluster();
    client = createClient(cluster.transport);
    await client.apply(CustomResourceDefinition, Application.crd());
    const operator = startManager({ controllers: [application], client, logger: silentLogger });
    await operator.ready;
    stop = async () => {
      await operator.stop();
      await cluster.stop();
    };
  });
  afterAll(() => stop());

  test("becomes Available and reports its address", async () => {
    await client.apply(Application, { metadata: ref, spec });
    const { status } = await client.waitFor(Application, ref, hasCondition("Available"), within);
    expect(status).toMatchObject({ replicas: 2, ready: 2, address: "http://shop.example.com" });
    const owner = { kind: "Application", name: "shop", controller: true };
    for (const kind of [Deployment, Service, Ingress])
      expect((await client.get(kind, ref)).metadata.ownerReferences).toMatchObject([owner]);
  });

  test("updates its children when the spec changes", async () => {
    await client.apply(Application, { metadata: ref, spec: { image: "nginx:1.28", replicas: 3, port: 9090, host: "www.example.com" } });
    const changed = (d: Deployment) => d.spec.replicas === 3 && d.spec.template.spec?.containers[0]?.image === "nginx:1.28";
    await client.waitFor(Deployment, ref, changed, within);
    await client.waitFor(Service, ref, (s) => s.spec.ports?.[0]?.port === 9090, within);
    await client.waitFor(Ingress, ref, (i) => i.spec?.rules?.[0]?.host === "www.example.com", within);
    await client.apply(Application, { metadata: ref, spec: { image: "nginx:1.28", replicas: 3, port: 9090 } });
    await client.waitForDeletion(Ingress, ref, within);
    await client.waitFor(Application, ref, (a) => a.status?.address === "http://shop.default.svc:9090" && a.status.ready === 3, within);
  });

  describe("with an image that cannot be pulled", () => {
    const broken = { name: "broken", namespace: "default" };
    const PULL = /^(ErrImagePull|ImagePullBackOff)$/;
    // Simulated nodes pull every image unless this annotation is set.
    const annotations = { "node.pintle.dev/behaviour": "image-pull-error" };
    const breaks = () => client.patch(Deployment, broken, { merge: { spec: { template: { metadata: { annotations } } } } });
    const waitFor = (type: string) => client.waitFor(Application, broken, (a) => PULL.test(conditionOf(a, type)?.reason ?? ""), within);

    test("reports the pull error in Available for a new application", async () => {
      await client.apply(Application, { metadata: broken, spec: { image: "no-such-image:1", replicas: 0 } });
      await client.waitFor(Deployment, broken, () => true, within);
      await breaks();
      await client.apply(Application, { metadata: broken, spec: { image: "no-such-image:1", replicas: 1 } });
      expect(conditionOf(await waitFor("Available"), "Available")).toMatchObject({ status: "False" });
      await client.delete(Application, broken);
      await client.waitForDeletion(Deployment, broken, within);
    });

    test("reports the pull error in Progressing while the old pods stay available", async () => {
      await client.apply(Application, { metadata: broken, spec: { image: "nginx:1.27", replicas: 2 } });
      await client.waitFor(Application, broken, hasCondition("Available"), within);
      await breaks();
      const object = await waitFor("Progressing");
      expect(conditionOf(object, "Available")).toMatchObject({ status: "True", reason: "PodsReady" });
      await client.delete(Application, broken);
    });
  });

  test.each([
    ["image", { image: "not an image" }],
    ["port", { image: "nginx", port: 70_000 }],
    ["host", { image: "nginx", host: "Not a host" }],
    ["replicas", { image: "nginx", replicas: -1 }],
  ])("rejects an invalid %s by field", async (field, wrong) => {
    const refused = client.apply(Application, { metadata: { ...ref, name: "wrong" }, spec: wrong });
    await expect(refused).rejects.toThrow(new RegExp(`spec\\.${field}`));
  });

  test("rejects a name that is not a valid Service name", async () => {
    const refused = client.apply(Application, { metadata: { ...ref, name: "1shop" }, spec: { image: "nginx" } });
    await expect(refused).rejects.toThrow(/must be a valid Service name/);
  });

  test("deletes its children with it", async () => {
    await client.delete(Application, ref);
    for (const kind of [Deployment, Service]) await client.waitForDeletion(kind, ref, within);
    const pods = await client.list(Pod, { namespace: "default", labels: { "app.aiops.org/application": "shop" } });
    for (const { metadata } of pods.items) await client.waitForDeletion(Pod, metadata, within);
  });
});

function conditionOf({ status }: Application, type: string) {
  return status?.conditions?.find((each) => each.type === type);
}
