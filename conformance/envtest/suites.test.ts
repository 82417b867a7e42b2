import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtFolder, state } from "../clients/built.ts";
import { binaries } from "../real/index.ts";
import { full, seed } from "../sampling.ts";
import { type Dropin, dropin } from "./dropin.ts";
import { PACKAGES, type Package, programOf, suites } from "./suites.ts";

const minute = 60_000;
const { missing, impossible } = state([suites]);
if (impossible.length > 0) console.warn(`\n!!! NOT COMPARED: envtest suites: ${suites.tool} is not on PATH, so they were not built\n`);
/** Which suite is also played on the real server; all of them in full. */
const compared = full ? PACKAGES : PACKAGES.slice(seed % PACKAGES.length, (seed % PACKAGES.length) + 1);

/** A kubebuilder project's suites, written for kube-apiserver and etcd, on the drop-ins for both. */
describe.skipIf(impossible.length > 0)("unmodified envtest suites", { timeout: 5 * minute }, () => {
  let ours: Dropin;
  beforeAll(async () => {
    if (missing.length > 0) throw new Error("envtest suites not built. Run: npm run clients:build");
    ours = await dropin();
  });
  afterAll(() => ours?.[Symbol.asyncDispose]());

  test.each(PACKAGES)("%s", async (name) => {
    const onDropin = await played(name, ours.assets);
    expect(onDropin.output).toMatch(/^PASS$/m);
    expect(onDropin.code).toBe(0);
    if (!compared.includes(name)) return;
    const onReal = await played(name, binaries().folder);
    console.log(`${name}: ${onDropin.seconds.toFixed(1)} s on the drop-in, ${onReal.seconds.toFixed(1)} s on kube-apiserver and etcd`);
    expect(onReal.output).toMatch(/^PASS$/m);
  });

  test("are up sooner", async () => {
    const starts: Record<"dropin" | "real", Started[]> = { dropin: [], real: [] };
    for (let run = 0; run < (full ? 5 : 1); run++) {
      starts.dropin.push(await started(ours.assets));
      starts.real.push(await started(binaries().folder));
    }
    const least = (of: readonly Started[], by: keyof Started) => Math.min(...of.map((each) => each[by]));
    const [quick, slow] = [least(starts.dropin, "ms"), least(starts.real, "ms")];
    console.log(`envtest's Start, with a CRD: ${quick} ms on the drop-in, ${slow} ms on the real pair (${percent(quick, slow)})`);
    const [little, much] = [least(starts.dropin, "cpu"), least(starts.real, "cpu")];
    console.log(`CPU time of all of it, with the end: ${little} ms on the drop-in, ${much} ms on the real pair (${percent(little, much)})`);
    // How long it takes says little on a busy machine.
    expect(little).toBeLessThan(much * 0.75);
  });
});

const percent = (part: number, whole: number) => `${((100 * part) / whole).toFixed(0)} %`;

interface Played {
  readonly code: number | null;
  readonly output: string;
  readonly seconds: number;
}

/** Its last line is the CPU time of all its processes. */
function played(name: Package, assets: string, args: readonly string[] = []): Promise<Played> {
  const built = builtFolder(suites);
  if (!existsSync(join(assets, "kube-apiserver"))) throw new Error(`no kube-apiserver in ${assets}`);
  const begun = performance.now();
  const env = { ...process.env, KUBEBUILDER_ASSETS: assets };
  const timed = ["-c", '"$@"; code=$?; times; exit $code', "sh", programOf(built, name), "-test.v", ...args];
  const child = spawn("sh", timed, { cwd: join(built, name), env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output, seconds: (performance.now() - begun) / 1000 }));
  });
}

/** Milliseconds: until the environment is up, and of CPU time from there to its end. */
interface Started {
  readonly ms: number;
  readonly cpu: number;
}

async function started(assets: string): Promise<Started> {
  const { output } = await played("plain", assets, ["-test.run=^$"]);
  const ms = /environment started in (\d+) ms/.exec(output)?.[1];
  const used = [...output.matchAll(/(\d+)m([\d.]+)s/g)].slice(-2).map(([, minutes, seconds]) => Number(minutes) * 60 + Number(seconds));
  if (ms === undefined || used.length < 2) throw new Error(`the environment did not start:\n${output}`);
  return { ms: Number(ms), cpu: Math.round(1000 * used.reduce((sum, each) => sum + each)) };
}
