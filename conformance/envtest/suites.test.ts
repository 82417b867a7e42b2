import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtFolder, getBuildState } from "../clients/build-state.ts";
import { binaries } from "../real/index.ts";
import { full, seed } from "../sampling.ts";
import { buildDropin, type Dropin } from "./dropin.ts";
import { envtestSuites, PACKAGES, type Package, programPath } from "./suites.ts";

const minute = 60_000;
const { missing, impossible } = getBuildState([envtestSuites]);
if (impossible.length > 0)
  console.warn(`\n!!! NOT COMPARED: envtest suites: ${envtestSuites.tool} is not on PATH, so they were not built\n`);
/** The suites that also run on the real binaries; all of them with --full. */
const compared = full ? PACKAGES : PACKAGES.slice(seed % PACKAGES.length, (seed % PACKAGES.length) + 1);

/** The envtest suites of a kubebuilder project on the drop-in kube-apiserver and etcd. */
describe.skipIf(impossible.length > 0)("unmodified envtest suites", { timeout: 5 * minute }, () => {
  let ours: Dropin;
  beforeAll(async () => {
    if (missing.length > 0) throw new Error("envtest suites not built. Run: npm run clients:build");
    ours = await buildDropin();
  });
  afterAll(() => ours?.[Symbol.asyncDispose]());

  test.each(PACKAGES)("%s", async (name) => {
    const onDropin = await runSuite(name, ours.assets);
    expect(onDropin.output).toMatch(/^PASS$/m);
    expect(onDropin.code).toBe(0);
    if (!compared.includes(name)) return;
    const onReal = await runSuite(name, binaries().folder);
    console.log(`${name}: ${onDropin.seconds.toFixed(1)} s on the drop-in, ${onReal.seconds.toFixed(1)} s on kube-apiserver and etcd`);
    expect(onReal.output).toMatch(/^PASS$/m);
  });

  test("start with less CPU time than with the real binaries", async () => {
    const starts: Record<"dropin" | "real", StartupTimes[]> = { dropin: [], real: [] };
    for (let run = 0; run < (full ? 5 : 1); run++) {
      starts.dropin.push(await measureStartup(ours.assets));
      starts.real.push(await measureStartup(binaries().folder));
    }
    const minimum = (of: readonly StartupTimes[], by: keyof StartupTimes) => Math.min(...of.map((each) => each[by]));
    const [quick, slow] = [minimum(starts.dropin, "ms"), minimum(starts.real, "ms")];
    console.log(`envtest's Start, with a CRD: ${quick} ms on the drop-in, ${slow} ms on the real pair (${percent(quick, slow)})`);
    const [little, much] = [minimum(starts.dropin, "cpu"), minimum(starts.real, "cpu")];
    console.log(`CPU time of all of it, with the end: ${little} ms on the drop-in, ${much} ms on the real pair (${percent(little, much)})`);
    // Elapsed time is not asserted, because it depends on the load of the machine.
    expect(little).toBeLessThan(much * 0.75);
  });
});

const percent = (part: number, whole: number) => `${((100 * part) / whole).toFixed(0)} %`;

interface SuiteRun {
  readonly code: number | null;
  readonly output: string;
  readonly seconds: number;
}

/** Runs a suite; the last line of its output is the CPU time of all its processes. */
function runSuite(name: Package, assets: string, args: readonly string[] = []): Promise<SuiteRun> {
  const built = builtFolder(envtestSuites);
  if (!existsSync(join(assets, "kube-apiserver"))) throw new Error(`no kube-apiserver in ${assets}`);
  const startedAt = performance.now();
  const env = { ...process.env, KUBEBUILDER_ASSETS: assets };
  const timed = ["-c", '"$@"; code=$?; times; exit $code', "sh", programPath(built, name), "-test.v", ...args];
  const child = spawn("sh", timed, { cwd: join(built, name), env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output, seconds: (performance.now() - startedAt) / 1000 }));
  });
}

/** Milliseconds until the environment is started, and of CPU time in total. */
interface StartupTimes {
  readonly ms: number;
  readonly cpu: number;
}

async function measureStartup(assets: string): Promise<StartupTimes> {
  const { output } = await runSuite("plain", assets, ["-test.run=^$"]);
  const ms = /environment started in (\d+) ms/.exec(output)?.[1];
  const used = [...output.matchAll(/(\d+)m([\d.]+)s/g)].slice(-2).map(([, minutes, seconds]) => Number(minutes) * 60 + Number(seconds));
  if (ms === undefined || used.length < 2) throw new Error(`the environment did not start:\n${output}`);
  return { ms: Number(ms), cpu: Math.round(1000 * used.reduce((sum, each) => sum + each)) };
}
