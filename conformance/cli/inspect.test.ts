/** Commands that inspect a deployment: diff, status, logs, doctor. */
import { type Client, connect } from "pintle/client";
import { Namespace } from "pintle/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestProject, shopProject } from "../../packages/cli/test/test-project.ts";
import { isSampled } from "./sampled.ts";
import { type CliServer, servers } from "./servers.ts";

describe.runIf(isSampled(0)).each(servers)("$name", ({ name, start }) => {
  // The nodes of the real control plane are kwok's, which are not marked as simulated by us.
  const isSimulated = name === "the embedded cluster";
  let server: CliServer;
  let client: Client;
  beforeAll(async () => {
    server = await start();
    client = await connect({ kubeconfig: server.kubeconfig });
  });
  afterAll(async () => {
    await client?.close();
    await server?.stop();
  });

  test("diff, deploy, status, logs and doctor report consistent states", async () => {
    using here = createTestProject(shopProject(undefined, 'conditions: ["Available"],'));
    const pintle = (...words: string[]) => here.pintle(...words, "--kubeconfig", server.kubeconfig);

    expect(await pintle("status")).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^shop is not deployed in namespace shop-system of cluster \(https.*'pintle deploy'\n$/),
    });
    expect(await pintle("logs")).toMatchObject({ code: 1, err: expect.stringMatching(/shop is not deployed/) });
    expect(await pintle("diff", "--image", "shop:1")).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^\+ Namespace shop-system\n(\+ .*\n)+\+ Deployment shop-system\/shop-controller-manager\n$/),
    });
    expect(await client.find(Namespace, { name: "shop-system" })).toBeUndefined();

    expect(await pintle("deploy", "--image", "shop:1")).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        isSimulated ? /is available in .*\nsimulated: the operator's pod runs no program, .*\n$/ : /is available in .*\n$/,
      ),
    });
    expect(await pintle("diff", "--image", "shop:1")).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^no differences in \d+ objects\n$/),
    });
    expect(await pintle("diff", "--image", "shop:2")).toMatchObject({
      code: 1,
      out: '~ Deployment shop-system/shop-controller-manager\n    spec.template.spec.containers[0].image  "shop:1" -> "shop:2"\n',
    });
    here.write("store.yaml", "apiVersion: shop.example.com/v1\nkind: Store\nmetadata: {name: demo}\nspec: {}\n");
    expect(await pintle("diff", "store.yaml")).toMatchObject({ code: 1, out: "+ Store default/demo\n" });
    expect(await pintle("diff", "none.yaml")).toMatchObject({ code: 2, err: "error: cannot read none.yaml: ENOENT (PINTLE7062)\n" });

    // Simulated pods are ready, but run no operator that could acquire the lease.
    expect(await pintle("status")).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        isSimulated
          ? /^shop {2}shop:1 {2}1\/1 ready {2}no leader {2}in namespace shop-system of .*\n {2}simulated: the operator's pod runs no program.*\nstores\.shop\.example\.com {2}established, 0 objects\n$/
          : /^shop {2}shop:1 {2}1\/1 ready {2}no leader {2}in namespace shop-system of .*\nstores\.shop\.example\.com {2}established, 0 objects\n$/,
      ),
    });
    const Store = await client.discoverKind("shop.example.com/v1", "Store");
    await client.create(Store, { metadata: { name: "a", namespace: "default" }, spec: {} } as never);
    const lastTransitionTime = new Date().toISOString();
    const conditions = [{ type: "Available", status: "False", reason: "NoPods", message: "none is there", lastTransitionTime }];
    await client.status.patch(Store, { name: "a", namespace: "default" } as never, { merge: { status: { conditions } } });
    const unwell = await pintle("status");
    expect(unwell).toMatchObject({
      code: 1,
      out: expect.stringMatching(/\n {2}default\/a {2}Available=False for \d+s, NoPods: none is there\n$/),
    });
    expect(JSON.parse((await pintle("status", "-o", "json")).out)).toMatchObject({
      healthy: false,
      replicas: { ready: 1, desired: 1 },
      crds: [{ state: "established", objects: 1 }],
    });
    expect((await pintle("doctor")).out).toMatch(
      /ok {7}cluster .* is reachable, Kubernetes v1\.\d+.*\nok {7}stores\.shop\.example\.com is installed and up to date\n$/,
    );
    expect(await pintle("undeploy", "--yes")).toMatchObject({ code: 0 });
  });
});
