import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ConfigError } from "./config-error.ts";
import { locate } from "./locate.ts";

const config = (server: string) => ({
  "current-context": "a",
  clusters: [{ name: "a", cluster: { server } }],
  contexts: [{ name: "a", context: { cluster: "a" } }],
});

describe("locate", () => {
  let folder: string;
  let home: string;
  let serviceAccount: string;
  const pod = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "pintle-locate-"));
    home = join(folder, "home");
    serviceAccount = join(folder, "account");
    await mkdir(join(home, ".kube"), { recursive: true });
    await mkdir(serviceAccount);
    await writeFile(join(home, ".kube", "config"), JSON.stringify(config("https://home")));
    await writeFile(join(folder, "given"), JSON.stringify(config("https://given")));
    await writeFile(join(folder, "listed"), JSON.stringify(config("https://listed")));
    await writeFile(join(serviceAccount, "token"), "t");
    await writeFile(join(serviceAccount, "namespace"), "web\n");
  });
  afterAll(() => rm(folder, { recursive: true }));

  it("goes from the most to the least explicit", async () => {
    const KUBECONFIG = join(folder, "listed");
    const everything = { env: { ...pod, KUBECONFIG }, home, serviceAccount };
    const serverOf = async (options: Parameters<typeof locate>[0]) => (await locate(options)).server;
    expect(await serverOf({ ...everything, kubeconfig: config("https://object") })).toBe("https://object");
    expect(await serverOf({ ...everything, kubeconfig: join(folder, "given") })).toBe("https://given");
    expect(await serverOf(everything)).toBe("https://listed");
    expect(await serverOf({ ...everything, env: pod })).toBe("https://10.0.0.1:443");
    expect(await serverOf({ ...everything, env: pod, context: "a" })).toBe("https://home");
    expect(await serverOf({ ...everything, env: {} })).toBe("https://home");
    expect(await serverOf({ ...everything, env: pod, serviceAccount: join(folder, "none") })).toBe("https://home");
  });

  it("reads the service account of a pod, also with IPv6", async () => {
    expect(await locate({ env: { ...pod, KUBERNETES_SERVICE_HOST: "fd00::1" }, home, serviceAccount })).toEqual({
      server: "https://[fd00::1]:443",
      namespace: "web",
      ca: { file: join(serviceAccount, "ca.crt") },
      user: { tokenFile: join(serviceAccount, "token") },
    });
  });

  it("says what it looked for", async () => {
    const nowhere = { env: {}, home: join(folder, "none"), serviceAccount };
    await expect(locate(nowhere)).rejects.toThrow(ConfigError);
    await expect(locate(nowhere)).rejects.toThrow(/no cluster is configured: KUBECONFIG is not set, this is not a pod .* no .*config/);
    await expect(locate({ ...nowhere, kubeconfig: join(folder, "none") })).rejects.toThrow(/does not exist/);
    await expect(locate({ ...nowhere, env: { KUBECONFIG: join(folder, "none") } })).rejects.toThrow(/does not exist/);
  });
});
