import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { binaries, type Program } from "../../../conformance/real/index.ts";

const PROGRAMS: readonly Program[] = ["etcd", "kube-apiserver"];
const builder = fileURLToPath(new URL("../../../conformance/real/build.ts", import.meta.url));

/** Builds kube-apiserver and etcd if they are missing, so that `npm run bench` works on a new machine. */
export function buildRealServer(): void {
  const { missing, provided } = binaries();
  const missingPrograms = PROGRAMS.filter((program) => missing.includes(program));
  if (missingPrograms.length === 0 || provided) return;
  console.log(`Building ${missingPrograms.join(" and ")}; this takes minutes, once`);
  const { status } = spawnSync(process.execPath, ["--import", "tsx", builder, "--only", missingPrograms.join(",")], { stdio: "inherit" });
  if (status !== 0)
    throw new Error(`${missingPrograms.join(" and ")} could not be built; see the output above, then run: npm run real:build`);
}
