import { execFile } from "node:child_process";
import { crdToYaml, defineResource } from "pintle/internal/resource";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { binary } from "../real/index.ts";
import { isRealServerBuilt, type RealServer, startRealServer } from "./real-server.ts";
import { collectionPath } from "./test-server.ts";

const minute = 60_000;

const Fleet = defineResource({
  group: "features.example.com",
  version: "v1",
  kind: "Fleet",
  scope: "Cluster",
  singular: "armada",
  shortNames: ["fl"],
  categories: ["vehicles"],
  labels: { team: "sea" },
  annotations: { "example.com/owner": "The admiral." },
  description: "Ships that sail together.",
  deprecated: "Fleet v1 is going away",
  spec: z.object({ ships: z.int32().default(2), flag: z.enum(["on", "off"]).default("on"), captain: z.string().optional() }),
  status: z.object({ ships: z.int32(), selector: z.string(), since: z.iso.date() }),
  conditions: ["Ready"],
  scale: { spec: ".spec.ships", status: ".status.ships", selector: ".status.selector" },
  selectable: [".spec.flag", ".spec.ships"],
  columns: [
    { name: "Ships", path: ".spec.ships", description: "How many." },
    { name: "Ready", path: '.status.conditions[?(@.type=="Ready")].status' },
    { name: "Captain", path: ".spec.captain", priority: 1 },
    { name: "Age", path: ".metadata.creationTimestamp" },
  ],
});
const path = collectionPath(Fleet);

describe.skipIf(!isRealServerBuilt())("a real kube-apiserver", { timeout: minute }, () => {
  let server: RealServer;
  beforeAll(async () => {
    server = await startRealServer();
    await server.install(Fleet);
    await server.create(Fleet, "north", { flag: "off", captain: "Ahab" });
    await server.create(Fleet, "south", undefined);
  }, 3 * minute);
  afterAll(() => server?.stop());

  it("accepts the CRD without a warning, with its names, labels and annotations", async () => {
    const { body, warnings } = await server.send(
      "GET",
      `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${Fleet.crd().metadata.name}`,
    );
    expect(warnings).toEqual([]);
    expect(body["metadata"]).toMatchObject({ labels: { team: "sea" }, annotations: { "example.com/owner": "The admiral." } });
    const { body: discovered } = await server.send("GET", "/apis/features.example.com/v1");
    expect(discovered["resources"]).toContainEqual(
      expect.objectContaining({ name: "fleets", singularName: "armada", shortNames: ["fl"], categories: ["vehicles"], namespaced: false }),
    );
  });

  it("defaults an omitted spec", async () => {
    const { body } = await server.send("GET", `${path}/south`);
    expect(body["spec"]).toEqual({ ships: 2, flag: "on" });
  });

  it("warns about the deprecated version", async () => {
    const { warnings } = await server.send("GET", path);
    expect(warnings.join()).toContain("Fleet v1 is going away");
  });

  it("prints the additional columns", async () => {
    const { body } = await server.send("GET", path, undefined, { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" });
    expect(body["columnDefinitions"]).toMatchObject([
      { name: "Name" },
      { name: "Ships", type: "integer", description: "How many." },
      { name: "Ready", type: "string" },
      { name: "Captain", type: "string", priority: 1 },
      { name: "Age", type: "date" },
    ]);
    expect(body["rows"]).toMatchObject([
      { cells: ["north", 2, null, "Ahab", expect.anything()] },
      { cells: ["south", 2, null, null, expect.anything()] },
    ]);
  });

  it("selects by field", async () => {
    for (const [selector, names] of [
      ["spec.flag=off", ["north"]],
      ["spec.ships=2", ["north", "south"]],
    ] as const) {
      const { body } = await server.send("GET", `${path}?fieldSelector=${selector}`);
      expect((body["items"] as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name)).toEqual(names);
    }
  });

  it("serves the scale and status subresources", async () => {
    const { body: created } = await server.create(Fleet, "east", { ships: 3 });
    expect(created["status"]).toBeUndefined();
    const condition = { type: "Ready", status: "True", reason: "Sailing", message: "", lastTransitionTime: "2026-01-02T03:04:05Z" };
    const status = { ships: 1, selector: "a=b", conditions: [condition], observedGeneration: 1 };
    const reported = await server.send("PUT", `${path}/east/status`, { ...created, status });
    expect(reported.body["status"]).toEqual(status);
    const scale = await server.send("GET", `${path}/east/scale`);
    expect(scale.body).toMatchObject({ spec: { replicas: 3 }, status: { replicas: 1, selector: "a=b" } });
    const scaled = await server.send("PUT", `${path}/east/scale`, { ...scale.body, spec: { replicas: 5 } });
    expect(scaled.body).toMatchObject({ spec: { replicas: 5 } });

    const { body: now } = await server.send("GET", `${path}/east`);
    const bad = {
      ...now,
      status: { ...status, conditions: [condition, condition, { ...condition, type: "Other", reason: "", status: "Maybe" }] },
    };
    const refused = await server.send("PUT", `${path}/east/status`, bad);
    const message = String(refused.body["message"]);
    for (const field of ["status.conditions[1]: Duplicate", "status.conditions[2].reason", "status.conditions[2].status"])
      expect(message).toContain(field);
  });

  it("accepts the generated YAML file from kubectl", async () => {
    const text = await crdToYaml(Fleet);
    const args = [
      "--kubeconfig",
      server.plane.kubeconfig,
      "apply",
      "--server-side",
      "--force-conflicts",
      "--dry-run=server",
      "-o",
      "json",
      "-f",
      "-",
    ];
    const applied = await new Promise<string>((resolve, reject) => {
      const child = execFile(binary("kubectl"), args, (error, stdout) => (error ? reject(error) : resolve(stdout)));
      child.stdin?.end(text);
    });
    expect(JSON.parse(applied).spec.versions).toEqual(Fleet.crd().spec.versions);
  });
});
