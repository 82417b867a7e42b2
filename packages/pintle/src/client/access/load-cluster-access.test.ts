import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ConfigError } from "./access-errors.ts";
import { loadClusterAccess } from "./load-cluster-access.ts";

const config = (server: string) => ({
  "current-context": "a",
  clusters: [{ name: "a", cluster: { server } }],
  contexts: [{ name: "a", context: { cluster: "a" } }],
});

describe("loadClusterAccess", () => {
  let folder: string;
  let homeDirectory: string;
  let serviceAccountDirectory: string;
  const pod = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "pintle-locate-"));
    homeDirectory = join(folder, "home");
    serviceAccountDirectory = join(folder, "account");
    await mkdir(join(homeDirectory, ".kube"), { recursive: true });
    await mkdir(serviceAccountDirectory);
    await writeFile(join(homeDirectory, ".kube", "config"), JSON.stringify(config("https://home")));
    await writeFile(join(folder, "given"), JSON.stringify(config("https://given")));
    await writeFile(join(folder, "listed"), JSON.stringify(config("https://listed")));
    await writeFile(join(serviceAccountDirectory, "token"), "t");
    await writeFile(join(serviceAccountDirectory, "namespace"), "web\n");
  });
  afterAll(() => rm(folder, { recursive: true }));

  it("prefers the given kubeconfig, then KUBECONFIG, then the pod, then the home directory", async () => {
    const KUBECONFIG = join(folder, "listed");
    const everything = { env: { ...pod, KUBECONFIG }, homeDirectory, serviceAccountDirectory };
    const serverOf = async (options: Parameters<typeof loadClusterAccess>[0]) => (await loadClusterAccess(options)).server;
    expect(await serverOf({ ...everything, kubeconfig: config("https://object") })).toBe("https://object");
    expect(await serverOf({ ...everything, kubeconfig: join(folder, "given") })).toBe("https://given");
    expect(await serverOf(everything)).toBe("https://listed");
    expect(await serverOf({ ...everything, env: pod })).toBe("https://10.0.0.1:443");
    expect(await serverOf({ ...everything, env: pod, context: "a" })).toBe("https://home");
    expect(await serverOf({ ...everything, env: {} })).toBe("https://home");
    expect(await serverOf({ ...everything, env: pod, serviceAccountDirectory: join(folder, "none") })).toBe("https://home");
  });

  it("reads the service account of a pod, also with IPv6", async () => {
    expect(
      await loadClusterAccess({ env: { ...pod, KUBERNETES_SERVICE_HOST: "fd00::1" }, homeDirectory, serviceAccountDirectory }),
    ).toEqual({
      server: "https://[fd00::1]:443",
      namespace: "web",
      ca: { file: join(serviceAccountDirectory, "ca.crt") },
      user: { tokenFile: join(serviceAccountDirectory, "token") },
    });
  });

  it("names the places that it checked when there is no access", async () => {
    const nowhere = { env: {}, homeDirectory: join(folder, "none"), serviceAccountDirectory };
    await expect(loadClusterAccess(nowhere)).rejects.toThrow(ConfigError);
    await expect(loadClusterAccess(nowhere)).rejects.toThrow(
      /no cluster is configured: KUBECONFIG is not set, this process does not run in a pod .* no .*config/,
    );
    await expect(loadClusterAccess({ ...nowhere, kubeconfig: join(folder, "none") })).rejects.toThrow(/does not exist/);
    await expect(loadClusterAccess({ ...nowhere, env: { KUBECONFIG: join(folder, "none") } })).rejects.toThrow(/does not exist/);
  });
});
