/** `pintle crd check` on the embedded cluster: definitions from the project, from files and from bundles. */
import { type Cluster, startCluster } from "@pintle/cluster";
import { hasCondition } from "pintle/client";
import type { JsonObject } from "pintle/kinds";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { main } from "../src/main.ts";
import { createBundle } from "./lifecycle/bundles.ts";
import { createTestProject, shopProject } from "./test-project.ts";

const NAME = "stores.shop.example.com";
const definition = (maximum: number, more: JsonObject = {}): JsonObject => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: NAME },
  spec: {
    group: "shop.example.com",
    scope: "Namespaced",
    names: { plural: "stores", kind: "Store" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: { type: "object", properties: { replicas: { type: "integer", maximum }, color: { type: "string" } }, ...more },
              status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
            },
          },
        },
      },
    ],
  },
});

describe("pintle crd check", () => {
  let cluster: Cluster;
  let kubeconfig: string;
  let here: ReturnType<typeof createTestProject>;
  const OBJECTS = 1_203;
  beforeAll(async () => {
    here = createTestProject(shopProject());
    cluster = await startCluster({ http: true });
    kubeconfig = `${here.root}/.pintle/kubeconfig`;
    await cluster.writeKubeconfig(kubeconfig);
    const client = cluster.client();
    await client.create(CustomResourceDefinition, definition(2_000) as never);
    await client.waitFor(CustomResourceDefinition, { name: NAME }, hasCondition("Established"));
    const kind = await client.discoverKind("shop.example.com/v1", "Store");
    for (let i = 0; i < OBJECTS; i++) {
      const spec = i === 7 ? { replicas: 12 } : i === 1_200 ? { replicas: 3, color: "red" } : { replicas: 3 };
      await client.create(kind, { metadata: { namespace: "default", name: `store-${String(i).padStart(4, "0")}` }, spec } as never);
    }
  }, 120_000);
  afterAll(async () => {
    await cluster.stop();
    here[Symbol.dispose]();
  });
  const check = (...words: string[]) => here.pintle("crd", "check", ...words, "--kubeconfig", kubeconfig);
  const write = (file: string, ...objects: JsonObject[]) => here.write(file, objects.map((each) => JSON.stringify(each)).join("\n---\n"));

  test("lists refused objects by name, from every page, and exits with 1", async () => {
    write("next.yaml", definition(10));
    const { code, out, err } = await check("next.yaml");
    expect({ code, err }).toEqual({ code: 1, err: "" });
    expect(out.split("\n")).toEqual([
      `${NAME}:`,
      "  OLM refuses the upgrade: v1: ^.spec.replicas: maximum: maximum decreased : 2000 -> 10",
      "  breaking change: v1 spec.replicas: maximum: changed from 2000 to 10",
      "  default/store-0007",
      "    v1 spec.replicas: Invalid value: 12: spec.replicas in body should be less than or equal to 10",
      `  1 of ${OBJECTS} would be refused or lose fields`,
      "",
    ]);
  });

  test("accepts a change that no stored object contradicts; --strict does not", async () => {
    write("next.yaml", definition(100));
    expect(await check("next.yaml")).toMatchObject({ code: 0, out: expect.stringContaining(`  no object of ${OBJECTS} would be refused`) });
    expect(await check("next.yaml", "--strict")).toMatchObject({ code: 1 });
  });

  test("reads the definitions of the project, and prints JSON", async () => {
    const { code, out } = await check("-o", "json");
    const { passed, definitions } = JSON.parse(out) as {
      passed: boolean;
      definitions: { refusedObjects: { name: string }[]; checked: number }[];
    };
    expect({ code, passed }).toEqual({ code: 1, passed: false });
    expect(definitions[0]).toMatchObject({ name: NAME, state: "checked", refused: 2, checked: OBJECTS });
    expect(definitions[0]?.refusedObjects).toEqual([
      {
        namespace: "default",
        name: "store-0007",
        problems: [
          {
            versions: ["v1"],
            field: "spec.replicas",
            message: "Invalid value: 12: spec.replicas in body should be less than or equal to 9",
            effect: "refused",
            blocksEveryUpdate: false,
          },
        ],
      },
      {
        namespace: "default",
        name: "store-1200",
        problems: [{ versions: ["v1"], field: "spec.color", message: "unknown field", effect: "dropped", blocksEveryUpdate: false }],
      },
    ]);
  });

  test("reads a folder of definitions, and a bundle", async () => {
    write("crds/a.yaml", definition(100, { required: ["color"] }));
    write("crds/kustomization.yaml", { kind: "Kustomization", resources: ["a.yaml"] });
    expect(await check("crds")).toMatchObject({ code: 1, out: expect.stringContaining(`  1202 of ${OBJECTS} would be refused`) });
    for (const [file, bytes] of createBundle("1.0.0")) here.write(`bundle/${file}`, Buffer.from(bytes).toString());
    expect(await check("bundle")).toMatchObject({ code: 0, out: "ops.example.com: not in the cluster yet\n" });
  });

  test("explains a stored version that is gone", async () => {
    const next = definition(2_000) as { spec: { versions: { name: string }[] } };
    next.spec.versions[0]!.name = "v2";
    write("next.yaml", next as never);
    const { code, out } = await check("next.yaml");
    expect(code).toBe(1);
    expect(out).toContain(
      "  default/store-0000\n    v1 apiVersion: is stored as shop.example.com/v1, which the new definition does not have (blocks every update)\n",
    );
    expect(out).toContain(
      'the API server refuses the definition: status.storedVersions[0]: Invalid value: "v1": missing from spec.versions',
    );
    expect(out).toContain(`  keep the version, store all objects in the new one with 'pintle migrate ${NAME}'`);
  });

  test("shows its progress on a terminal", async () => {
    write("next.yaml", definition(2_000));
    const output = { out: "", err: "" };
    const io = {
      out: (text: string) => (output.out += text),
      err: (text: string) => (output.err += text),
      tty: true,
      cwd: here.root,
      signal: AbortSignal.timeout(60_000),
    };
    await main(["crd", "check", "next.yaml", "--kubeconfig", kubeconfig], io);
    expect(output.err.split("\r\u001b[K").slice(0, 3)).toEqual(
      [500, 1000, OBJECTS].map((n) => `${NAME}: ${n}${n === OBJECTS ? "" : ` of ${OBJECTS}`} objects checked`),
    );
  });

  test("reports what cannot be checked with exit code 2", async () => {
    write("none.yaml", { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } });
    expect(await check("none.yaml")).toMatchObject({
      code: 2,
      err: expect.stringMatching(/none\.yaml has no CustomResourceDefinition \(PINTLE7120\)/),
    });
    expect(await check("missing.yaml")).toMatchObject({
      code: 2,
      err: expect.stringMatching(/cannot read missing\.yaml: ENOENT \(PINTLE7062\)/),
    });
  });
});
