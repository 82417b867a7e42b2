import { readFileSync } from "node:fs";
import path from "node:path";
import { type Cluster, startCluster } from "@pintle/cluster";
import { defineResource, type StructuralSchema, z } from "pintle";
import { type BuiltInTypes, builtInField, jobTemplateSpec, podTemplateSpec, resourceRequirements } from "pintle/fields";
import { isJsonObject } from "pintle/internal/json";
import type { JsonObject } from "pintle/kinds";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isRealServerBuilt, type RealServer, startRealServer } from "./real-server.ts";
import { createTestServer, type TestServer } from "./test-server.ts";

type Id = keyof BuiltInTypes;

const minute = 60_000;
const read = (file: string) => readFileSync(path.join(import.meta.dirname, file), "utf8");
const types = read("../../packages/pintle/src/fields/generated/built-in-types.ts");
const ids = [...types.matchAll(/^ {2}readonly "(.+?)":/gm)].map(([, id]) => id as Id);

const resourceWith = (id: Id, kind = "Field") =>
  defineResource({ group: "fields.example.com", version: "v1", kind, spec: z.object({ value: builtInField(id) }) });
const App = defineResource({
  group: "fields.example.com",
  version: "v1",
  kind: "App",
  spec: z.object({
    template: podTemplateSpec(),
    jobTemplate: jobTemplateSpec().optional(),
    resources: resourceRequirements().optional(),
    ports: z.array(builtInField("v1/ServicePort")).optional(),
    strategy: builtInField("apps/v1/DeploymentStrategy").optional(),
  }),
});

const container = { name: "c", image: "i" };
const withContainer = (more: JsonObject) => ({ template: { spec: { containers: [{ ...container, ...more }] } } });
/** Specs that are stored, and specs that are rejected. */
const SPECS: Readonly<Record<string, JsonObject>> = {
  "an unknown field": withContainer({ typo: 1, ports: [{ containerPort: 80, typo: 1 }] }),
  "a default of a list key": withContainer({ ports: [{ containerPort: 80 }, { containerPort: 80, protocol: "UDP" }] }),
  "a repeated list key": withContainer({ ports: [{ containerPort: 80 }, { containerPort: 80, protocol: "TCP" }] }),
  "embedded metadata": {
    template: {
      metadata: { labels: { app: "a" }, annotations: { a: "b" }, uid: "x", generation: 3 },
      spec: { containers: [container] },
    },
  },
  "a required field that is missing": { template: { spec: { containers: [{ image: "i" }] } } },
  "a wrong type": withContainer({ command: "sh" }),
  "an unknown value of an enum": withContainer({ imagePullPolicy: "Sometimes" }),
  "quantities as number and as text": withContainer({ resources: { limits: { cpu: 1, memory: "1Gi" } } }),
  "a wrong quantity": withContainer({ resources: { limits: { cpu: "one" } } }),
  "an int-or-string": withContainer({ readinessProbe: { httpGet: { port: "http" } }, livenessProbe: { tcpSocket: { port: 80 } } }),
  "a wrong int-or-string": withContainer({ readinessProbe: { httpGet: { port: true } } }),
  "a job template": {
    template: { spec: { containers: [container] } },
    jobTemplate: { spec: { backoffLimit: 1, template: { spec: { restartPolicy: "Never", containers: [container] } } } },
  },
  "fields beside the template": {
    template: { spec: { containers: [container] } },
    resources: { requests: { cpu: "100m" } },
    ports: [{ port: 80, targetPort: "http" }],
    strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%" } },
  },
};

describe.skipIf(!isRealServerBuilt())("fields of built-in types", { timeout: 5 * minute }, () => {
  let real: RealServer;
  let cluster: Cluster;
  let embedded: TestServer;
  beforeAll(async () => {
    cluster = await startCluster({ without: true });
    embedded = createTestServer(cluster.transport);
    real = await startRealServer();
    for (const server of [real, embedded]) await server.install(App);
  }, 3 * minute);
  afterAll(async () => {
    await real?.stop();
    await cluster?.stop();
  });

  it("are accepted by a real API server in a CustomResourceDefinition, each of them", async () => {
    const refused: unknown[] = [];
    for (const id of ids) {
      const { status, body } = await real.send("POST", `${DEFINITIONS}?dryRun=All`, resourceWith(id).crd());
      if (status !== 201) refused.push([id, body["message"]]);
    }
    expect(refused).toEqual([]);
    expect(ids.length).toBeGreaterThan(400);
  });

  it.each(Object.entries(SPECS))("are handled as a real API server does: %s", async (title, spec) => {
    const name = title.replaceAll(" ", "-");
    const [ours, theirs] = await Promise.all([embedded, real].map((server) => server.create(App, name, spec)));
    expect(summarize(ours!)).toEqual(summarize(theirs!));
  });

  it.each(Object.entries(recordedSchemas()))("have the schema that controller-gen generates: %s", (id, recorded) => {
    const { versions } = resourceWith(id as Id).crd().spec;
    const ours = versions[0]!.schema.openAPIV3Schema.properties?.["spec"]?.properties?.["value"];
    expect(differences(recorded, ours)).toEqual([]);
  });
});

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

function summarize({ status, body }: { readonly status: number; readonly body: JsonObject }): unknown {
  return { status, spec: body["spec"], message: body["message"], details: body["details"] };
}

function recordedSchemas(): Readonly<Record<string, StructuralSchema>> {
  return JSON.parse(read("controller-gen/golden/spec.json")) as Record<string, StructuralSchema>;
}

/**
 * Returns where our schema says less than that of controller-gen, or something else. It says more where the Go types have markers that controller-gen
 * does not read: values of enums, `+default=ref(...)`, the zero value as default of two optional fields, and the properties of embedded metadata.
 */
function differences(recorded: unknown, ours: unknown, at = ""): readonly string[] {
  if (isJsonObject(recorded) && isJsonObject(ours))
    return [...new Set([...Object.keys(recorded), ...Object.keys(ours)])]
      .filter((key) => recorded[key] !== undefined || !isExtra(key, at))
      .flatMap((key) => differences(recorded[key], ours[key], `${at}.${key}`));
  if (recorded === "atomic" && isInlinedReference(at)) return [];
  const text = (value: unknown) => JSON.stringify(Array.isArray(value) ? [...value].sort() : value);
  return text(recorded) === text(ours) ? [] : [`${at}: ${text(recorded)} of controller-gen, ${text(ours)} of pintle/fields`];
}

function isExtra(key: string, at: string): boolean {
  if (key === "enum") return true;
  if (key === "default") return /\.(cachingMode|kind|status|start)$/.test(at);
  return key === "properties" && at.endsWith(".metadata");
}

/** controller-gen takes the map type over from a struct that is inlined into another; the API server does not. */
function isInlinedReference(at: string): boolean {
  return /\.(configMapRef|secretRef|configMap|secret|configMapKeyRef|secretKeyRef)\.x-kubernetes-map-type$/.test(at);
}
