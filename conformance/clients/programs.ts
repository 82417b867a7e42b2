import { join } from "node:path";
import { type Run, run } from "./run.ts";

/** A program on an unmodified Kubernetes client library. */
export interface ClientProgram {
  readonly name: string;
  /** The folder of its sources; default: the folder of its name beside this file. */
  readonly folder?: string | undefined;
  /** Files and folders of that folder that it is built from. */
  readonly sources: readonly string[];
  /** The build tool that must be on PATH; undefined if nothing has to be built. */
  readonly tool: string | undefined;
  /** The suite that runs it; default: `clients`. */
  readonly suite?: "faults" | undefined;
  /** Builds `into` from a copy of the sources, which may be written to. */
  build(into: string, options: { readonly sources: string } & Run): Promise<void>;
  /** The command line of the built program, without arguments. */
  command(built: string, sources: string): readonly string[];
}

/** Runs go on a copy of the sources, completing go.mod; the user's GOFLAGS and workspaces are ignored. */
export async function runGo(args: readonly string[], { sources, signal }: { readonly sources: string } & Run): Promise<void> {
  const env = { GOFLAGS: "-mod=mod -buildvcs=false", GOWORK: "off", GOTOOLCHAIN: "local", CGO_ENABLED: "0" };
  await run("go", args, { folder: sources, env, signal });
}

const goProgram: Pick<ClientProgram, "tool" | "build" | "command"> = {
  tool: "go",
  build: (into, at) => runGo(["build", "-trimpath", "-ldflags", "-s -w", "-o", join(into, "program"), "."], at),
  command: (built) => [join(built, "program")],
};

export const programs: readonly ClientProgram[] = [
  {
    name: "client-node",
    sources: ["main.ts", "memcached.ts", "operator.ts", "report.ts", "user.ts"],
    tool: undefined,
    build: async () => {},
    command: (_built, sources) => [process.execPath, "--import", "tsx", join(sources, "main.ts")],
  },
  {
    name: "controller-runtime",
    sources: ["go.mod", "install.go", "main.go", "reconciler.go", "report.go", "types.go", "user.go"],
    ...goProgram,
  },
  {
    name: "client-go",
    sources: ["go.mod", "main.go"],
    suite: "faults",
    ...goProgram,
  },
  {
    name: "kopf",
    sources: ["main.py", "memcached.py", "requirements.txt", "report.py", "user.py"],
    tool: "python3",
    async build(into, { sources, signal }) {
      await run("python3", ["-m", "venv", into], { folder: sources, env: {}, signal });
      const install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", "requirements.txt"];
      await run(join(into, "bin/python"), install, { folder: sources, env: {}, signal });
    },
    command: (built, sources) => [join(built, "bin/python"), "-B", join(sources, "main.py")],
  },
  {
    name: "kube-rs",
    sources: ["Cargo.toml", "src"],
    tool: "cargo",
    async build(into, { sources, signal }) {
      const env = { CARGO_TARGET_DIR: join(sources, "target") };
      await run("cargo", ["build", "--quiet"], { folder: sources, env, signal });
      await run("cp", [join(sources, "target/debug/kube-rs-client"), join(into, "program")], { folder: sources, env: {}, signal });
    },
    command: (built) => [join(built, "program")],
  },
];
