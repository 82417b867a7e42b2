import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { type Chapter, readChapter } from "../../packages/cluster/test/kubectl/chapter.ts";
import { command } from "../../packages/cluster/test/kubectl/command.ts";
import { findKubectls, type Kubectl } from "../../packages/cluster/test/kubectl/kubectls.ts";
import { play } from "../../packages/cluster/test/kubectl/play.ts";
import type { Server } from "./server.ts";
import { embeddedServer, realServer } from "./servers.ts";

const all = findKubectls();
const kubectls = process.env["PINTLE_CONFORMANCE"] === "full" ? all : all.filter((_, index) => index === 0 || index === all.length - 1);

let folder: string;
let chapter: Chapter;
let real: Server;
let ours: Server;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "pintle-access-"));
  chapter = await readChapter(new URL("./kubectl.yaml", import.meta.url));
  [real, ours] = await Promise.all([realServer(), embeddedServer()]);
});
afterAll(() => Promise.all([real.stop(), ours.stop(), rm(folder, { recursive: true })]));

test.each(kubectls)("kubectl $minor asks for tokens and rights, and hears the same", async (kubectl) => {
  const said = async ({ kubeconfig }: Server) => {
    const name = `tokens-${kubectl.minor.replace(".", "-")}`;
    const text = (await play(renamed(name), kubectl, kubeconfig)).map(({ run, answer }) => ({ run, ...withoutAdmin(answer) }));
    return JSON.parse(
      JSON.stringify(text)
        .replaceAll(name, "tokens")
        .replaceAll(/https:\/\/kubernetes\.default\.svc(\.cluster\.local)?/g, "<issuer>"),
    );
  };
  expect(await said(ours)).toEqual(await said(real));
});

test.each(kubectls)("kubectl $minor works with a token that kubectl made", async (kubectl) => {
  const name = `robot-${kubectl.minor.replace(".", "-")}`;
  const run = runner(kubectl, ours.kubeconfig);
  await run("create", "serviceaccount", name, "-n", "default");
  const token = (await run("create", "token", name, "-n", "default")).trim();
  const asRobot = runner(kubectl, await kubeconfigWith(token));
  expect(await asRobot("get", "pods")).toContain(`User "system:serviceaccount:default:${name}" cannot list resource "pods"`);
  await run("create", "rolebinding", name, "-n", "default", "--clusterrole=cluster-admin", `--serviceaccount=default:${name}`);
  expect(await asRobot("get", "serviceaccounts", "-o", "name")).toContain(`serviceaccount/${name}`);
  await run("delete", "serviceaccount", name, "-n", "default");
  expect(await asRobot("get", "pods")).toContain("Unauthorized");
});

/** Each kubectl in a namespace of its own. */
function renamed(name: string): Chapter {
  const { files, steps } = chapter;
  return { ...chapter, ...(JSON.parse(JSON.stringify({ files, steps }).replaceAll("tokens", name)) as Chapter), name };
}

/** The two administrators have different names. */
function withoutAdmin<T extends { readonly out: string; readonly err: string }>(answer: T): T {
  const text = (said: string) => said.replaceAll(/\b(kubernetes-)?admin\b/g, "<admin>");
  return { ...answer, out: text(answer.out), err: text(answer.err) };
}

/** Runs kubectl to its end; gives what it said. A home of its own keeps caches apart. */
function runner({ path }: Kubectl, kubeconfig: string) {
  const env = { PATH: process.env["PATH"], HOME: folder, KUBECONFIG: kubeconfig };
  return async (...args: readonly string[]): Promise<string> => {
    const { out, err } = await command({ path, args, folder, env });
    return out + err;
  };
}

/** The embedded server's kubeconfig with a token for the administrator's certificate. */
async function kubeconfigWith(token: string): Promise<string> {
  const config = parse(await readFile(ours.kubeconfig, "utf8"));
  const path = join(folder, "token.kubeconfig");
  await writeFile(path, stringify({ ...config, users: config.users.map(({ name }: { name: string }) => ({ name, user: { token } })) }));
  return path;
}
