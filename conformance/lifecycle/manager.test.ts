/** The lifecycle manager as a process, on the embedded cluster and on a real control plane, used with `pintle operator`: all of an operator's life. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { main } from "@pintle/cli";
import { ClusterCatalogKind, ClusterExtensionKind, ClusterObjectSetKind, installLifecycleManager } from "@pintle/lifecycle/manager";
import { type Client, connect } from "pintle/client";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { Deployment } from "pintle/kinds/apps/v1";
import { ConfigMap } from "pintle/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startRegistryServer } from "../../packages/cli/src/local-cluster/index.ts";
import { type CliServer, servers } from "../cli/servers.ts";
import { createManagerProcess, type ManagerProcess } from "./manager-process.ts";
import { DEFINITION, PACKAGE, publishMemcached } from "./memcached-bundles.ts";

describe.each(servers)("$name", ({ start }) => {
  const folder = mkdtempSync(path.join(tmpdir(), "pintle-manager-"));
  const namespace = `${PACKAGE}-system`;
  const deployment = { namespace, name: "memcached-operator-controller-manager" };
  let server: CliServer;
  let client: Client;
  let registry: Awaited<ReturnType<typeof startRegistryServer>>;
  let manager: ManagerProcess;

  beforeAll(async () => {
    server = await start();
    client = await connect({ kubeconfig: server.kubeconfig });
    registry = await startRegistryServer();
    const catalog = await publishMemcached(registry.host);
    await installLifecycleManager(client);
    await client.create(ClusterCatalogKind, {
      metadata: { name: "community" },
      spec: { source: { type: "Image", image: { ref: catalog } } },
    });
    manager = await createManagerProcess(server.kubeconfig, folder);
    await manager.start();
  }, 180_000);
  afterAll(async () => {
    await manager?.end("SIGKILL");
    await registry?.[Symbol.asyncDispose]();
    await client?.close();
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Runs `pintle operator` as a user would. */
  async function operator(...words: string[]) {
    let [out, err] = ["", ""];
    const code = await main(["operator", ...words, "--kubeconfig", server.kubeconfig], {
      out: (text) => (out += text),
      err: (text) => (err += text),
      tty: false,
      cwd: folder,
      signal: AbortSignal.timeout(120_000),
    });
    return { code, out, err };
  }
  const readUids = async () => {
    const [crd, running] = await Promise.all([
      client.get(CustomResourceDefinition, { name: DEFINITION }),
      client.get(Deployment, deployment),
    ]);
    return [crd.metadata.uid, running.metadata.uid];
  };
  const readVersion = async () => (await client.get(ClusterExtensionKind, { name: PACKAGE })).status?.install?.bundle.version;

  test("installs, upgrades, repairs, breaks, rolls back and removes an operator of a catalog", { timeout: 300_000 }, async () => {
    await client.waitFor(
      ClusterCatalogKind,
      { name: "community" },
      ({ status }) => (status?.conditions ?? []).some(({ type, status: is }) => type === "Serving" && is === "True"),
      { timeout: 60_000 },
    );
    expect((await operator("search", "memcached")).out).toMatch(/memcached-operator +community +beta +3 +beta\n/);
    expect(await operator("install", PACKAGE, "--version", "0.1.0")).toMatchObject({ code: 0, err: "" });
    const uids = await readUids();
    expect(await client.find(ConfigMap, { namespace, name: "config-of-0-1-0" })).toBeDefined();

    expect((await operator("upgrade", PACKAGE, "--version", "0.2.0")).out).toContain("memcached-operator 0.1.0 -> 0.2.0 is installed\n");
    expect(await readUids()).toEqual(uids);
    await client.waitForDeletion(ConfigMap, { namespace, name: "config-of-0-1-0" }, { timeout: 60_000 });

    await client.delete(ConfigMap, { namespace, name: "config-of-0-2-0" });
    await client.waitFor(ConfigMap, { namespace, name: "config-of-0-2-0" }, () => true, { timeout: 60_000 });

    const broken = await operator("upgrade", PACKAGE, "--version", "0.3.0", "--timeout", "5s");
    expect(broken).toMatchObject({ code: 1, err: expect.stringContaining("Revision 0.3.0 is rolling out.") });
    expect(await readVersion()).toBe("0.2.0");
    await manager.end("SIGKILL");
    await manager.start();
    expect(await operator("rollback", PACKAGE)).toMatchObject({ code: 0, err: "" });
    expect(await readUids()).toEqual(uids);
    expect(await readVersion()).toBe("0.2.0");
    expect(JSON.parse((await operator("list", "-o", "json")).out)).toMatchObject([{ name: PACKAGE, version: "0.2.0" }]);

    await client.create(await client.discoverKind("cache.example.com/v1", "Memcached"), {
      metadata: { namespace, name: "sample" },
      spec: { size: 1 },
    });
    expect(await operator("uninstall", PACKAGE)).toMatchObject({
      code: 1,
      err: expect.stringContaining("1 object of the custom resources"),
    });
    expect(await operator("uninstall", PACKAGE, "--delete-objects")).toMatchObject({ code: 0, err: "" });
    expect(await client.find(CustomResourceDefinition, { name: DEFINITION })).toBeUndefined();
    expect((await client.list(ClusterObjectSetKind)).items).toEqual([]);
    await client.waitForDeletion(Deployment, deployment, { timeout: 60_000 });
  });
});
