import { writeFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { answers, comparable, crdAnswer } from "../../packages/cluster/test/schema/answer.ts";
import type { Answer, Golden, GoldenCrd } from "../../packages/cluster/test/schema/suite.ts";
import { startControlPlane } from "../real/control-plane.ts";
import { type Server, server } from "./http.ts";
import { askAboutCrd, askReal } from "./real.ts";
import { crds, suites } from "./suites.ts";

const golden = new URL("../../packages/cluster/test/schema/golden/", import.meta.url);
const wanted = (name: string) => process.argv.length < 3 || process.argv.slice(2).some((part) => name.includes(part));

/** Asks a real server every case, shows where we answer otherwise, and keeps its answers for the tests that run without it. */
async function main(): Promise<void> {
  const given = process.env["KUBECONFIG"];
  const real = given === undefined ? await startControlPlane() : undefined;
  try {
    const at = await server(given ?? real!.kubeconfig);
    const objects = await ask(at);
    const definitions = await askAboutCrds(at);
    await writeFile(new URL("objects.json", golden), lines(objects));
    await writeFile(new URL("crds.json", golden), lines(definitions));
    report(objects, definitions);
  } finally {
    await real?.stop();
  }
}

async function ask(at: Server): Promise<Golden[]> {
  const queue = suites.filter(({ name }) => wanted(name));
  const done = new Map<string, Golden>();
  const work = async () => {
    for (let suite = queue.shift(); suite !== undefined; suite = queue.shift()) {
      try { done.set(suite.name, { suite, answers: await askReal(at, suite) }); } catch (e) { console.log("SUITE", (e as Error).message); }
    }
  };
  const order = queue.map(({ name }) => name);
  await Promise.all(Array.from({ length: 8 }, work));
  return order.flatMap((name) => done.get(name) ?? []);
}

async function askAboutCrds(at: Server): Promise<GoldenCrd[]> {
  const asked: GoldenCrd[] = [];
  for (const one of crds) if (wanted(`crd ${one.name}`)) asked.push({ ...one, answer: await askAboutCrd(at, one.crd) });
  return asked;
}

/** One line each, so that a change shows as one. */
function lines(list: readonly object[]): string {
  return `[\n${list.map((one) => JSON.stringify(one)).join(",\n")}\n]\n`;
}

function report(objects: readonly Golden[], definitions: readonly GoldenCrd[]): void {
  let cases = 0;
  let different = 0;
  const compare = (name: string, ours: Answer, theirs: Answer) => {
    cases++;
    if (isDeepStrictEqual(comparable(ours), comparable(theirs))) return;
    different++;
    console.log(`${name}\n  real ${JSON.stringify(theirs)}\n  ours ${JSON.stringify(ours)}`);
  };
  for (const { suite, answers: theirs } of objects) {
    const ours = answers(suite);
    for (const [i, one] of suite.cases.entries()) compare(`${suite.name} / ${one.name}`, ours[i]!, theirs[i]!);
  }
  for (const { name, crd, answer } of definitions) compare(`crd / ${name}`, crdAnswer(crd), answer);
  console.log(`${cases} cases, ${different} answered otherwise`);
  if (different > 0) process.exitCode = 1;
}

await main();
