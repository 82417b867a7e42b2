import { writeFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { answers, comparable } from "../../packages/cluster/test/schema/answer.ts";
import type { Golden } from "../../packages/cluster/test/schema/suite.ts";
import { startControlPlane } from "../real/control-plane.ts";
import { type Server, server } from "./http.ts";
import { askReal } from "./real.ts";
import { suites } from "./suites.ts";

const golden = new URL("../../packages/cluster/test/schema/golden.json", import.meta.url);

/** Asks a real server every case, shows where we answer otherwise, and keeps its answers for the tests that run without it. */
async function main(): Promise<void> {
  const given = process.env["KUBECONFIG"];
  const real = given === undefined ? await startControlPlane() : undefined;
  try {
    const truth = await ask(await server(given ?? real!.kubeconfig));
    await writeFile(golden, `${JSON.stringify(truth, undefined, 1)}\n`);
    report(truth);
  } finally {
    await real?.stop();
  }
}

async function ask(at: Server): Promise<Golden[]> {
  const wanted = process.argv.slice(2);
  const queue = suites.filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)));
  const done = new Map<string, Golden>();
  const work = async () => {
    for (let suite = queue.shift(); suite !== undefined; suite = queue.shift()) {
      done.set(suite.name, { suite, answers: await askReal(at, suite) });
    }
  };
  const order = queue.map(({ name }) => name);
  await Promise.all(Array.from({ length: 8 }, work));
  return order.map((name) => done.get(name)!);
}

function report(truth: readonly Golden[]): void {
  let cases = 0;
  let different = 0;
  for (const { suite, answers: theirs } of truth) {
    const ours = answers(suite);
    for (const [i, one] of suite.cases.entries()) {
      cases++;
      if (isDeepStrictEqual(comparable(ours[i]!), comparable(theirs[i]!))) continue;
      different++;
      console.log(`${suite.name} / ${one.name}\n  real ${JSON.stringify(theirs[i])}\n  ours ${JSON.stringify(ours[i])}`);
    }
  }
  console.log(`${cases} cases, ${different} answered otherwise`);
  if (different > 0) process.exitCode = 1;
}

await main();
