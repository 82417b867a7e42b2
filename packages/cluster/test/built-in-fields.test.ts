import { crdToYaml, defineResource, z } from "pintle";
import { Invalid } from "pintle/client";
import { jobTemplateSpec, podTemplateSpec, resourceRequirements } from "pintle/fields";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { startCluster } from "../src/index.ts";

const App = defineResource({
  group: "fields.example.com",
  version: "v1",
  kind: "App",
  spec: z.object({ template: podTemplateSpec(), job: jobTemplateSpec().optional(), resources: resourceRequirements().optional() }),
});
const container = { name: "c", image: "i", ports: [{ containerPort: 80 }], resources: { limits: { cpu: "500m", memory: 1024 } } };

test("fields of built-in types are validated, defaulted and pruned by the API server", async () => {
  const cluster = await startCluster();
  const client = cluster.client();
  const crd = await crdToYaml(App);
  expect(crd).not.toContain("description");
  await client.create(CustomResourceDefinition, parse(crd));
  await client.waitFor(CustomResourceDefinition, { name: "apps.fields.example.com" }, (it) =>
    (it.status?.conditions ?? []).some(({ type, status }) => type === "Established" && status === "True"),
  );
  const create = (name: string, template: object) =>
    client.create(App, { metadata: { name, namespace: "default" }, spec: { template } } as never, { fieldValidation: "Ignore" } as never);
  const stored = await create("a", { metadata: { labels: { app: "a" } }, spec: { containers: [{ ...container, typo: 1 }] } });
  expect(stored.spec.template).toEqual({
    metadata: { labels: { app: "a" } },
    spec: { containers: [{ ...container, ports: [{ containerPort: 80, protocol: "TCP" }] }] },
  });
  await expect(create("b", { spec: { containers: [{ image: "i" }] } })).rejects.toThrow(Invalid);
  await expect(create("c", { spec: { containers: [container, container] } })).rejects.toThrow(/Duplicate value/);
  await expect(create("d", { spec: { containers: [{ ...container, resources: { limits: { cpu: "x" } } }] } })).rejects.toThrow(/cpu/);
  await cluster.stop();
});
