import path from "node:path";
import { type Cluster, startCluster } from "@pintle/cluster";
import { Job } from "pintle/kinds/batch/v1";
import { ConfigMap } from "pintle/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createTestProject, shopProject } from "./test-project.ts";

const SAMPLE = "apiVersion: shop.example.com/v1\nkind: Store\nmetadata: {name: demo}\nspec: {replicas: 1}\n";
const project = () => createTestProject({ ...shopProject(), "config/samples/store.yaml": SAMPLE });

function config(...tests: readonly object[]): string {
  return JSON.stringify({ apiVersion: "scorecard.operatorframework.io/v1alpha3", kind: "Configuration", stages: [{ tests }] });
}

describe("pintle scorecard", () => {
  test("the bundle of a new project passes all tests", async () => {
    using here = project();
    expect((await here.pintle("bundle")).code).toBe(0);
    const { code, out } = await here.pintle("scorecard", "-o", "json");
    const { kind, items } = JSON.parse(out) as {
      readonly kind: string;
      readonly items: readonly { readonly status: { readonly results: readonly { readonly state: string }[] } }[];
    };
    expect({ code, kind, states: items.flatMap(({ status }) => status.results).map(({ state }) => state) }).toEqual({
      code: 0,
      kind: "TestList",
      states: Array.from({ length: 6 }, () => "pass"),
    });
  });

  test("exits with 1 if a test fails, runs what the selector selects, and reports xunit", async () => {
    using here = project();
    await here.pintle("bundle");
    const csv = "bundle/manifests/shop.clusterserviceversion.yaml";
    here.write(csv, here.read(csv).replace("path: replicas", "path: others"));
    const failed = await here.pintle("scorecard", "-l", "suite=olm,test!=olm-bundle-validation-test", "-o", "xunit");
    expect(failed.code).toBe(1);
    expect(failed.out).toContain('<testsuite name="olm-spec-descriptors-test" tests="1" skipped="0" failures="1" errors="0">');
    expect(failed.out).toContain('<failure type="failure">replicas does not have a spec descriptor</failure>');
    expect(failed.out).not.toContain("olm-bundle-validation");
    const passed = await here.pintle("scorecard", "--selector", "suite=basic");
    expect(passed).toMatchObject({ code: 0, out: expect.stringContaining("\tName: basic-check-spec\n\tState: pass\n") });
    expect(await here.pintle("scorecard", "-l", "suite=none")).toMatchObject({ code: 0, out: "0 tests selected\n" });
    expect((await here.pintle("scorecard", "--list", "-l", "suite=basic")).out).not.toContain("Results");
  });

  test("refuses what is no configuration, no selector and no bundle", async () => {
    using here = project();
    await here.pintle("bundle");
    here.write("broken.yaml", config({ entrypoint: ["a"] }));
    expect(await here.pintle("scorecard", "-c", "broken.yaml")).toMatchObject({
      code: 1,
      err: expect.stringContaining("stages[0].tests[0]: image is missing"),
    });
    expect(await here.pintle("scorecard", "-c", "none.yaml")).toMatchObject({ code: 2 });
    expect(await here.pintle("scorecard", "-l", "suite in (a)")).toMatchObject({ code: 2 });
    expect(await here.pintle("scorecard", "nothing")).toMatchObject({ code: 2, err: expect.stringContaining("'pintle bundle' writes it") });
  });

  describe.runIf(process.platform === "linux")("with tests in images of their own", () => {
    let cluster: Cluster;
    beforeAll(async () => {
      cluster = await startCluster({ nodes: { kind: "process", mode: "loopback" } });
      await cluster.ready;
    }, 60_000);
    afterAll(async () => cluster?.stop(), 60_000);

    test("they run as Jobs that mount the bundle, and leave nothing behind", { timeout: 60_000 }, async () => {
      using here = project();
      await here.pintle("bundle");
      const kubeconfig = path.join(here.root, "kubeconfig");
      await cluster.writeKubeconfig(kubeconfig);
      const shell = (script: string) => ({ image: "busybox", entrypoint: ["sh", "-c", script], labels: { suite: "own" } });
      const passing = `echo '{"results":[{"name":"own","state":"pass"}]}'`;
      here.write("own.yaml", config(shell(passing), shell("echo no JSON")));
      here.write("slow.yaml", config(shell("sleep 100")));
      const run = async (file: string, time: string) => {
        const { code, out } = await here.pintle("scorecard", "-c", file, "--kubeconfig", kubeconfig, "-w", time, "-o", "json");
        const { items } = JSON.parse(out) as { readonly items: readonly { readonly status: { readonly results: readonly object[] } }[] };
        return { code, results: items.map(({ status }) => status.results[0]) };
      };
      expect(await run("own.yaml", "5m")).toMatchObject({
        code: 1,
        results: [
          { name: "own", state: "pass" },
          { state: "fail", errors: ["the test printed no JSON with results"], log: "no JSON\n" },
        ],
      });
      expect(await run("slow.yaml", "1s")).toMatchObject({
        code: 1,
        results: [{ state: "fail", errors: [expect.stringContaining("did not finish in time")] }],
      });
      const client = cluster.client();
      const names = (await client.list(ConfigMap, { namespace: "default" })).items.map(({ metadata }) => metadata.name);
      expect(names.filter((name) => name.startsWith("scorecard-test"))).toEqual([]);
      expect(
        (await client.list(Job, { namespace: "default" })).items.filter(({ metadata }) => metadata.deletionTimestamp === undefined),
      ).toEqual([]);
    });

    test("they run in a cluster of their own, as administrators, where nothing names another one", { timeout: 60_000 }, async () => {
      using here = project();
      await here.pintle("bundle");
      const script = `test -s /bundle/metadata/annotations.yaml && test "$SCORECARD_NAMESPACE" = checks && echo '{"results":[{"name":"own","state":"pass"}]}'`;
      here.write("own.yaml", config({ image: "busybox", entrypoint: ["sh", "-c", script] }));
      here.write("nodes.yaml", "mode: loopback\n");
      const words = [
        "scorecard",
        "-c",
        "own.yaml",
        "--node-config",
        "nodes.yaml",
        "-w",
        "1m",
        "-n",
        "checks",
        "-s",
        "tester",
        "-o",
        "json",
      ];
      const states = (out: string) =>
        (JSON.parse(out) as { items: { status: { results: { state: string }[] } }[] }).items.map(({ status }) => status.results[0]);
      const told = await here.pintle(...words, "--embedded");
      expect({ ...told, out: states(told.out) }).toEqual({ code: 0, err: "", out: [expect.objectContaining({ state: "pass" })] });
      vi.stubEnv("KUBECONFIG", "");
      vi.stubEnv("HOME", here.root);
      try {
        const found = await here.pintle(...words);
        expect({ ...found, out: states(found.out) }).toEqual({
          code: 0,
          err: "no kubeconfig: the tests run in a cluster of their own\n",
          out: [expect.objectContaining({ state: "pass" })],
        });
      } finally {
        vi.unstubAllEnvs();
      }
    });
  });
});
