import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { binaries, type Program } from "../../conformance/real/index.ts";

const PROGRAMS: readonly Program[] = ["etcd", "kube-apiserver"];
const builder = fileURLToPath(new URL("../../conformance/real/build.ts", import.meta.url));

/** Builds the real API server and its etcd where they are not there yet, so that `npm run bench` is enough on a new machine. */
export function buildRealServer(): void {
  const { missing, provided } = binaries();
  const absent = PROGRAMS.filter((program) => missing.includes(program));
  if (absent.length === 0 || provided) return;
  console.log(`building ${absent.join(" and ")}: minutes, once`);
  const { status } = spawnSync(process.execPath, ["--import", "tsx", builder, "--only", absent.join(",")], { stdio: "inherit" });
  if (status !== 0) throw new Error(`${absent.join(" and ")} could not be built; see above, then try: npm run real:build`);
}
