/** Checks images built by `pintle build` with independent programs: a registry, skopeo, runc. */
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { startCluster } from "@pintle/cluster";
import { describe, expect, test, vi } from "vitest";
import { createTestProject, shopProject } from "../../packages/cli/test/test-project.ts";
import { installNode, NODE_LINES } from "../compatibility/node-lines.ts";
import { full } from "../sampling.ts";
import { freePort, missing, registry } from "./debian.ts";

import { smallBase } from "./small-base.ts";

if (missing.length > 0)
  console.warn(
    `\n!!! SKIPPED: ${missing.join(", ")} missing, so no independent program has checked the images. Install the Debian packages.\n`,
  );
const run = (program: string, ...words: string[]) => execFileSync(program, words, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

const BIN = fileURLToPath(new URL("../../packages/cli/src/bin.ts", import.meta.url));

test.runIf(full)("two Node versions in two folders build the same image", { timeout: 180_000 }, async () => {
  const [line = ""] = process.versions.node.split(".");
  const other = installNode(NODE_LINES[line === "24" ? "22" : "24"] as string);
  if (other === undefined) return;
  const digests = new Map<string, string>();
  for (const node of [process.execPath, other]) {
    using here = createTestProject(shopProject());
    await smallBase(path.join(here.root, "base"));
    const words = ["build", "shop:1", "--base", "oci:base", "-o", "json"];
    const args = ["--conditions=@pintle/source", "--import", import.meta.resolve("tsx"), BIN, ...words];
    const text = execFileSync(node, args, { cwd: here.root, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
    digests.set(run(node, "--version").trim(), JSON.parse(text).digest);
  }
  console.log(Object.fromEntries(digests));
  expect(digests.size).toBe(2);
  expect(new Set(digests.values()).size).toBe(1);
});

test("a root filesystem in a folder serves as base image, with a digest that does not depend on its path", async () => {
  const system = { "system/usr/local/bin/node": "not really", "system/etc/os-release": "ID=test\n" };
  using one = createTestProject({ ...shopProject(), ...system });
  using other = createTestProject({
    ...shopProject(),
    ...Object.fromEntries(Object.entries(system).map(([file, text]) => [`deep/${file}`, text])),
  });
  symlinkSync("usr/local/bin", path.join(one.root, "system/bin"));
  symlinkSync("usr/local/bin", path.join(other.root, "deep/system/bin"));
  const built = JSON.parse((await one.pintle("build", "shop:1", "--base", "./system", "-o", "json")).out);
  const again = JSON.parse((await other.pintle("build", "shop:1", "--base", "rootfs:deep/system", "-o", "json")).out);
  expect(again.digest).toBe(built.digest);
  expect(await one.pintle("build", "shop:1", "--base", "rootfs:src")).toMatchObject({
    code: 1,
    err: "error: rootfs:src is not a root file system: it has neither bin nor usr (PINTLE7071)\n",
  });
  one.write("bare/usr/lib/a", "");
  expect((await one.pintle("build", "shop:1", "--base", "rootfs:bare")).err).toMatch(/^error: rootfs:bare has no node binary in /);
});

describe.skipIf(missing.length > 0)("images", { timeout: 180_000 }, () => {
  test("builds in two folders have the same digest, and pushing a one-line change uploads one small layer", async () => {
    await using store = await registry();
    using one = createTestProject(shopProject());
    using other = createTestProject(shopProject());
    const name = `${store.host}/team/shop:1`;
    const built = JSON.parse((await one.pintle("build", name, "--push", "--insecure-registry", "-o", "json")).out);
    const again = JSON.parse((await other.pintle("build", name, "--push", "--insecure-registry", "-o", "json")).out);
    expect(again.digest).toBe(built.digest);
    expect(again.sent).toBeLessThan(10_000);
    other.write("src/store.ts", `${other.read("src/store.ts")}console.log("changed");\n`);
    const changed = JSON.parse((await other.pintle("build", name, "--push", "--insecure-registry", "-o", "json")).out);
    expect(changed.digest).not.toBe(built.digest);
    expect(changed.sent).toBeLessThan(200_000);

    // skopeo reads from the registry exactly what was built.
    const seen = JSON.parse(run("skopeo", "inspect", "--tls-verify=false", `docker://${name}`));
    expect(seen.Digest).toBe(changed.digest);

    // A base image in a registry: its layers are not uploaded again.
    const based = JSON.parse(
      (await one.pintle("build", `${store.host}/team/on-top:1`, "--base", name, "--push", "--insecure-registry", "-o", "json")).out,
    );
    expect(based.sent).toBeLessThan(20_000);
    run("skopeo", "inspect", "--tls-verify=false", `docker://${store.host}/team/on-top:1`);
  });

  test("push uploads the built image; if the registry requires a login, the error explains how to provide one", async () => {
    // "user" with the password "secret".
    await using store = await registry("user:$2a$04$7aG9y2sBPRYOxb6cO0uB7uAtE0Uuz4uaD4dnp5mYoIK1zI.Z9eddK\n");
    using here = createTestProject(shopProject());
    await here.pintle("build");
    const refused = await here.pintle("push", `${store.host}/shop:1`, "--insecure-registry");
    expect(refused.code).toBe(1);
    expect(refused.err).toMatch(/401 .*Log in with 'docker login 127\.0\.0\.1:\d+' \(PINTLE7077\)\n$/);
    expect((await here.pintle("push", `${store.host}/shop:1`)).err).toMatch(
      /cannot reach registry .*For a registry without TLS use --insecure-registry/,
    );

    // As docker login stores it: in its config file, or with a credential helper.
    vi.stubEnv("DOCKER_CONFIG", path.join(here.root, "docker"));
    here.write("docker/config.json", JSON.stringify({ auths: { [store.host]: { auth: btoa("user:wrong") } } }));
    expect((await here.pintle("push", `${store.host}/shop:1`, "--insecure-registry")).err).toMatch(/401 /);
    here.write("docker/config.json", JSON.stringify({ auths: { [store.host]: { auth: btoa("user:secret") } } }));
    expect(await here.pintle("push", `${store.host}/shop:1`, "--insecure-registry")).toMatchObject({ code: 0 });
    const helper = path.join(here.root, "bin/docker-credential-test");
    here.write("bin/docker-credential-test", `#!/bin/sh\ncat >/dev/null\necho '{"Username":"user","Secret":"secret"}'\n`);
    chmodSync(helper, 0o755);
    vi.stubEnv("PATH", `${path.dirname(helper)}:${process.env["PATH"]}`);
    here.write("docker/config.json", JSON.stringify({ credHelpers: { [store.host]: "test" } }));
    expect(await here.pintle("push", `${store.host}/shop:2`, "--insecure-registry")).toMatchObject({ code: 0 });
    vi.unstubAllEnvs();
  });

  test("a pulled image run as an unprivileged user serves its health endpoint", async () => {
    await using store = await registry();
    using here = createTestProject(shopProject());
    const name = `${store.host}/shop:1`;
    expect(await here.pintle("build", name)).toMatchObject({ code: 0 });
    expect(await here.pintle("push", name, "--insecure-registry")).toMatchObject({ code: 0 });
    const folder = mkdtempSync(path.join(tmpdir(), "pintle-image-"));
    const cluster = await startCluster({ http: true });
    try {
      await cluster.writeKubeconfig(path.join(folder, "kubeconfig"));
      expect(await here.pintle("install", "--kubeconfig", path.join(folder, "kubeconfig"))).toMatchObject({ code: 0 });
      run("skopeo", "copy", "--src-tls-verify=false", `docker://${name}`, `dir:${folder}/pulled`);
      const { layers, config } = JSON.parse(readFileSync(path.join(folder, "pulled/manifest.json"), "utf8"));
      const rootfs = path.join(folder, "bundle/rootfs");
      mkdirSync(rootfs, { recursive: true });
      const file = (digest: string) => path.join(folder, "pulled", digest.replace("sha256:", ""));
      for (const { digest } of layers) run("tar", "-xf", file(digest), "-C", rootfs);
      const settings = JSON.parse(readFileSync(file(config.digest), "utf8")).config;
      cpSync(path.join(folder, "kubeconfig"), path.join(rootfs, "kubeconfig"));
      run("chmod", "644", path.join(rootfs, "kubeconfig"));
      const health = await freePort();
      run("runc", "spec", "--bundle", path.join(folder, "bundle"));
      const spec = JSON.parse(readFileSync(path.join(folder, "bundle/config.json"), "utf8"));
      const [uid, gid] = settings.User.split(":").map(Number);
      expect(uid).toBe(65532);
      spec.process = {
        ...spec.process,
        terminal: false,
        user: { uid, gid },
        cwd: settings.WorkingDir,
        env: [...settings.Env, "KUBECONFIG=/kubeconfig", "POD_NAMESPACE=default"],
        args: [...settings.Entrypoint, "--leader-elect", `--health-probe-bind-address=127.0.0.1:${health}`, "--metrics-bind-address=0"],
      };
      spec.linux.namespaces = spec.linux.namespaces.filter(({ type }: { type: string }) => type !== "network" && type !== "cgroup");
      spec.linux.resources = undefined;
      writeFileSync(path.join(folder, "bundle/config.json"), JSON.stringify(spec));
      const id = path.basename(folder);
      const child = spawn("runc", ["--root", path.join(folder, "state"), "run", "--bundle", path.join(folder, "bundle"), id], {
        stdio: "pipe",
      });
      let log = "";
      child.stderr.on("data", (text) => (log += text));
      const waitUntilHealthy = async () => {
        for (;;) {
          const answer = await fetch(`http://127.0.0.1:${health}/healthz`).catch(() => undefined);
          if (answer?.status === 200) return;
          if (child.exitCode !== null) throw new Error(`runc ended with ${child.exitCode}: ${log}`);
          await delay(100);
        }
      };
      try {
        await waitUntilHealthy();
        // The operator holds the lease, and a worker thread renews it.
        while (!log.includes('"Successfully acquired lease"') && child.exitCode === null) await delay(50);
        expect(log).toContain('"Successfully acquired lease"');
        expect(log).not.toContain("main thread");
      } finally {
        const ended = child.exitCode === null ? new Promise((resolve) => child.once("exit", resolve)) : undefined;
        child.kill("SIGKILL");
        spawn("runc", ["--root", path.join(folder, "state"), "delete", "--force", id]);
        await ended;
      }
    } finally {
      await cluster.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
