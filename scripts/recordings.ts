/**
 * `npm run recordings`: writes docs/first-ten-minutes.md. Runs every command of the page in a temporary folder and records its output. Needs
 * kubectl on the PATH.
 */
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { main } from "../packages/cli/src/main.ts";
import { createTestProject } from "../packages/cli/test/test-project.ts";

using workspace = createTestProject();
const project = path.join(workspace.root, "shop");
const lines: string[] = [];
const addChapter = (title: string, introduction: string) => lines.push(`## ${title}`, "", introduction, "");
const addBlock = (text: string) => {
  console.log(maskVariableParts(text));
  lines.push("```", maskVariableParts(text).trimEnd(), "```", "");
};

/** Replaces what differs between runs: paths, ports, times, sizes, digests and generated names. */
function maskVariableParts(text: string): string {
  return text
    .replaceAll(workspace.root, "~")
    .replace(/127\.0\.0\.1:\d+/g, "127.0.0.1:42001")
    .replace(/\b\d\d:\d\d:\d\d\b/g, "12:01:07")
    .replace(/\b\d+ ms\b/g, "240 ms")
    .replace(/(?<=Reconciled \S+ in )\d+ms/g, "12ms")
    .replace(/\b\d+s$/gm, "9s")
    .replace(/\b\d+(\.\d+)? s\b/g, "3 s")
    .replace(/sha256:[0-9a-f]{64}/g, "sha256:3f0c…")
    .replace(/-(?=[a-z]*\d)[a-z0-9]{8,10}-[a-z0-9]{5}\b/g, "-6c9f7d5b8-x2xkq")
    .replace(/\b\d+(\.\d+)? (KB|MB)\b/g, (size) => (size.endsWith("KB") ? "48 KB" : "41 MB"))
    .replace(/ +$/gm, "");
}

async function run(cwd: string, displayedCommand: string, ...words: string[]): Promise<string> {
  let output = "";
  const append = (text: string) => {
    output += text;
  };
  await main(words, { out: append, err: append, tty: false, cwd, signal: AbortSignal.timeout(120_000) });
  addBlock(`$ ${displayedCommand}\n${output}`);
  return output;
}
const pintle = (...words: string[]) => run(project, `npx pintle ${words.join(" ")}`, ...words);
/** Asynchronous, because the cluster runs in this process. */
async function kubectl(...words: string[]): Promise<string> {
  const flags = ["--kubeconfig", path.join(project, ".pintle/kubeconfig")];
  return (await promisify(execFile)("kubectl", [...flags, ...words], { cwd: project })).stdout;
}

lines.push(
  "# The first ten minutes",
  "",
  "From an empty folder to an operator in a cluster. You need Node 20.19 or newer and, to look at objects, kubectl; no container runtime and no cluster.",
  "",
  "This page is recorded by `npm run recordings`, which runs every command. Only times, sizes, ports, digests and generated names are replaced.",
  "",
);
addChapter(
  "Create a project",
  "`npm create pintle` scaffolds a project with one kind and its controller. On a terminal it asks for what the flags do not set. `--no-install` skips `npm install`, which you run next.",
);
await run(
  workspace.root,
  "npm create pintle@latest shop -- --domain shop.example.com --kind Storefront --no-install",
  "init",
  "shop",
  "--domain",
  "shop.example.com",
  "--kind",
  "Storefront",
  "--no-install",
);
const tree = readdirSync(project, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => path.relative(workspace.root, path.join(entry.parentPath, entry.name)))
  .sort();
addBlock(`$ find shop -type f\n${tree.join("\n")}`);

addChapter(
  "Run the operator",
  "`npm run dev` starts an embedded cluster, installs the CRD and runs the operator with the RBAC rules derived from its code. It restarts the operator when a source file changes. `--samples` applies the sample objects.",
);
let devOutput = "";
let onOutput = () => {};
const stop = new AbortController();
const dev = main(["dev", "--samples"], {
  out(text) {
    devOutput += text;
    onOutput();
  },
  err(text) {
    devOutput += text;
    onOutput();
  },
  tty: false,
  cwd: project,
  signal: stop.signal,
});
const waitForOutput = async (pattern: RegExp) => {
  while (!pattern.test(devOutput)) await new Promise<void>((resolve) => (onOutput = resolve));
};
await waitForOutput(/storefront\.shop\.example\.com\/demo created/);
await kubectl("wait", "--for=condition=Available", "storefront/demo", "--timeout=60s");
const objects = await kubectl("get", "storefronts,deployments");
const source = readFileSync(path.join(project, "src/storefront.ts"), "utf8");
writeFileSync(path.join(project, "src/storefront.ts"), source.replace("Number of pods.", "Desired number of pods."));
await waitForOutput(/restarted/);
stop.abort();
await dev;
addBlock(`$ npm run dev -- --samples\n${devOutput}`);
addBlock(`$ kubectl --kubeconfig .pintle/kubeconfig get storefronts,deployments\n${objects}`);

addChapter(
  "Add a kind and a webhook",
  "`pintle create` adds files and edits existing ones; it never overwrites them. `pintle explain` prints the documentation of a field.",
);
await pintle("create", "api", "--kind", "Catalog", "--no-controller");
await pintle("create", "webhook", "--kind", "Storefront", "--defaulting", "--validation");
await pintle("explain", "storefront.spec");

addChapter(
  "Compare with a cluster",
  "`pintle diff` shows what `pintle deploy` would change. The following commands use a cluster that `pintle cluster up` started; with your own cluster, leave out `--kubeconfig`.",
);
const cluster = new AbortController();
let markUp = () => {};
const clusterUp = new Promise<void>((resolve) => (markUp = resolve));
const clusterStopped = main(["cluster", "up"], {
  out: () => markUp(),
  err: (text) => console.error(text),
  tty: false,
  cwd: project,
  signal: cluster.signal,
});
await clusterUp;
const kubeconfigFlags = ["--kubeconfig", ".pintle/kubeconfig"];
await pintle("diff", "--image", "shop:1.0.0", ...kubeconfigFlags);

addChapter(
  "Deploy",
  "`pintle generate` writes the manifests, `pintle deploy` applies them and waits for the rollout. Build and push the image with `pintle build --push`, which needs no Docker.",
);
await pintle("generate", "--image", "shop:1.0.0");
await pintle("deploy", "--image", "shop:1.0.0", ...kubeconfigFlags);
await pintle("status", ...kubeconfigFlags);
await pintle("diff", "--image", "shop:1.0.1", ...kubeconfigFlags);
await pintle("undeploy", "--yes", ...kubeconfigFlags);
cluster.abort();
await clusterStopped;

writeFileSync(new URL("../docs/first-ten-minutes.md", import.meta.url), `${lines.join("\n").trimEnd()}\n`);
