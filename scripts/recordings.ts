/**
 * Records docs/first-ten-minutes.md: every command in it is really run, in a folder that goes again.
 * `node --conditions=@pintle/source --import tsx scripts/recordings.ts`; needs kubectl on the PATH.
 */
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { main } from "../packages/cli/src/main.ts";
import { workshop } from "../packages/cli/test/pintle.ts";

using here = workshop();
const project = path.join(here.root, "shop");
const lines: string[] = [];
const chapter = (title: string, words: string) => lines.push(`## ${title}`, "", words, "");
const block = (text: string) => {
  console.log(masked(text));
  lines.push("```", masked(text).trimEnd(), "```", "");
};

/** What differs from run to run, as it was when somebody looked. */
function masked(text: string): string {
  return text
    .replaceAll(here.root, "~")
    .replace(/127\.0\.0\.1:\d+/g, "127.0.0.1:42001")
    .replace(/\b\d\d:\d\d:\d\d\b/g, "12:01:07")
    .replace(/\b\d+ ms\b/g, "240 ms")
    .replace(/\b\d+s$/gm, "9s")
    .replace(/\b\d+(\.\d+)? s\b/g, "3 s")
    .replace(/sha256:[0-9a-f]{64}/g, "sha256:3f0c…")
    .replace(/-(?=[a-z]*\d)[a-z0-9]{8,10}-[a-z0-9]{5}\b/g, "-6c9f7d5b8-x2xkq")
    .replace(/\b\d+(\.\d+)? (KB|MB)\b/g, (size) => (size.endsWith("KB") ? "48 KB" : "41 MB"))
    .replace(/ +$/gm, "");
}

async function run(cwd: string, shown: string, ...words: string[]): Promise<string> {
  let said = "";
  const say = (text: string) => {
    said += text;
  };
  await main(words, { out: say, err: say, tty: false, cwd, signal: AbortSignal.timeout(120_000) });
  block(`$ ${shown}\n${said}`);
  return said;
}
const pintle = (...words: string[]) => run(project, `npx pintle ${words.join(" ")}`, ...words);
/** Not the synchronous form: the cluster lives in this very process. */
async function kubectl(...words: string[]): Promise<string> {
  const at = ["--kubeconfig", path.join(project, ".pintle/kubeconfig")];
  return (await promisify(execFile)("kubectl", [...at, ...words], { cwd: project })).stdout;
}

lines.push("# The first ten minutes", "", "Recorded by `scripts/recordings.ts`; only times, sizes, ports and digests are made alike.", "");
chapter("An empty folder, Node and nothing else", "Everything can be said by flags; without them, and on a terminal, it asks.");
await run(
  here.root,
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
  .map((entry) => path.relative(here.root, path.join(entry.parentPath, entry.name)))
  .sort();
block(`$ find shop -type f\n${tree.join("\n")}`);

chapter(
  "A cluster with the operator on it",
  "It runs under its own account with the rights that follow from its code, and starts again after every change.",
);
let told = "";
let heard = () => {};
const stop = new AbortController();
const dev = main(["dev", "--samples"], {
  out(text) {
    told += text;
    heard();
  },
  err(text) {
    told += text;
    heard();
  },
  tty: false,
  cwd: project,
  signal: stop.signal,
});
const until = async (pattern: RegExp) => {
  while (!pattern.test(told)) await new Promise<void>((resolve) => (heard = resolve));
};
await until(/sample {4}Storefront/);
await kubectl("wait", "--for=condition=Available", "storefront/demo", "--timeout=60s");
const seen = await kubectl("get", "storefronts,deployments");
const source = readFileSync(path.join(project, "src/storefront.ts"), "utf8");
writeFileSync(path.join(project, "src/storefront.ts"), source.replace("How many pods to run.", "How many pods there should be."));
await until(/restarted/);
stop.abort();
await dev;
block(`$ npm run dev -- --samples\n${told}`);
block(`$ kubectl --kubeconfig .pintle/kubeconfig get storefronts,deployments\n${seen}`);

chapter("Another resource, and a say in what is stored", "What is there is edited, never overwritten.");
await pintle("create", "api", "--kind", "Shelf", "--no-controller");
await pintle("create", "webhook", "--kind", "Storefront", "--defaulting", "--validation");
await pintle("explain", "storefront.spec");

chapter("Look before you leap", "Against a cluster that is up, here one that `pintle cluster up` started.");
const cluster = new AbortController();
let isUp = () => {};
const up = new Promise<void>((resolve) => (isUp = resolve));
const upEnded = main(["cluster", "up"], {
  out: isUp,
  err: (text) => console.error(text),
  tty: false,
  cwd: project,
  signal: cluster.signal,
});
await up;
const at = ["--kubeconfig", ".pintle/kubeconfig"];
await pintle("diff", "--image", "shop:1.0.0", ...at);

chapter("Ship", "The operator and everything it needs; the image comes from `pintle build --push`, without Docker.");
await pintle("generate", "--image", "shop:1.0.0");
await pintle("deploy", "--image", "shop:1.0.0", ...at);
await pintle("status", ...at);
await pintle("diff", "--image", "shop:1.0.1", ...at);
await pintle("undeploy", "--yes", ...at);
cluster.abort();
await upEnded;

writeFileSync(new URL("../docs/first-ten-minutes.md", import.meta.url), `${lines.join("\n").trimEnd()}\n`);
