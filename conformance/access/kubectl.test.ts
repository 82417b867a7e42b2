import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { findKubectls, type Kubectl } from "../../packages/cluster/test/kubectl/kubectls.ts";
import { runCommand } from "../../packages/cluster/test/kubectl/run-command.ts";
import { runScenario } from "../../packages/cluster/test/kubectl/run-scenario.ts";
import { type KubectlScenario, readScenario } from "../../packages/cluster/test/kubectl/scenario.ts";
import type { AccessServer } from "./server.ts";
import { startEmbeddedServer, startRealServer } from "./servers.ts";

const all = findKubectls();
const kubectls = process.env["PINTLE_CONFORMANCE"] === "full" ? all : all.filter((_, index) => index === 0 || index === all.length - 1);

let folder: string;
let scenario: KubectlScenario;
let real: AccessServer;
let ours: AccessServer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "pintle-access-"));
  scenario = await readScenario(new URL("./kubectl.yaml", import.meta.url));
  [real, ours] = await Promise.all([startRealServer(), startEmbeddedServer()]);
});
afterAll(() => Promise.all([real.stop(), ours.stop(), rm(folder, { recursive: true })]));

test.each(kubectls)("kubectl $minor prints the same for token and authorization commands on both servers", async (kubectl) => {
  const runComparable = async ({ kubeconfig }: AccessServer) => {
    const name = `tokens-${kubectl.minor.replace(".", "-")}`;
    const text = (await runScenario(scenarioInNamespace(name), kubectl, kubeconfig)).map(({ run, answer }) => ({
      run,
      ...withoutAdmin(answer),
    }));
    return JSON.parse(
      JSON.stringify(text)
        .replaceAll(name, "tokens")
        .replaceAll(/https:\/\/kubernetes\.default\.svc(\.cluster\.local)?/g, "<issuer>"),
    );
  };
  expect(await runComparable(ours)).toEqual(await runComparable(real));
});

test.each(kubectls)("kubectl $minor authenticates with a token from kubectl create token", async (kubectl) => {
  const name = `robot-${kubectl.minor.replace(".", "-")}`;
  const run = createRunner(kubectl, ours.kubeconfig);
  await run("create", "serviceaccount", name, "-n", "default");
  const token = (await run("create", "token", name, "-n", "default")).trim();
  const asRobot = createRunner(kubectl, await kubeconfigWith(token));
  expect(await asRobot("get", "pods")).toContain(`User "system:serviceaccount:default:${name}" cannot list resource "pods"`);
  await run("create", "rolebinding", name, "-n", "default", "--clusterrole=cluster-admin", `--serviceaccount=default:${name}`);
  expect(await asRobot("get", "serviceaccounts", "-o", "name")).toContain(`serviceaccount/${name}`);
  await run("delete", "serviceaccount", name, "-n", "default");
  expect(await asRobot("get", "pods")).toContain("Unauthorized");
});

/** The scenario in a namespace of its own for each kubectl version. */
function scenarioInNamespace(name: string): KubectlScenario {
  const { files, steps } = scenario;
  return { ...scenario, ...(JSON.parse(JSON.stringify({ files, steps }).replaceAll("tokens", name)) as KubectlScenario), name };
}

/** Removes the administrator's user name, which differs between the servers. */
function withoutAdmin<T extends { readonly out: string; readonly err: string }>(answer: T): T {
  const text = (output: string) => output.replaceAll(/\b(kubernetes-)?admin\b/g, "<admin>");
  return { ...answer, out: text(answer.out), err: text(answer.err) };
}

/** Runs kubectl and returns its output. A separate HOME per version keeps discovery caches apart. */
function createRunner({ path }: Kubectl, kubeconfig: string) {
  const env = { PATH: process.env["PATH"], HOME: folder, KUBECONFIG: kubeconfig };
  return async (...args: readonly string[]): Promise<string> => {
    const { out, err } = await runCommand({ path, args, folder, env });
    return out + err;
  };
}

/** The embedded server's kubeconfig with a token instead of the administrator's certificate. */
async function kubeconfigWith(token: string): Promise<string> {
  const config = parse(await readFile(ours.kubeconfig, "utf8"));
  const path = join(folder, "token.kubeconfig");
  await writeFile(path, stringify({ ...config, users: config.users.map(({ name }: { name: string }) => ({ name, user: { token } })) }));
  return path;
}
