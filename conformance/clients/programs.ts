import { join } from "node:path";
import { type Run, run } from "./run.ts";

/** An unmodified client of Kubernetes, in a program of its language. */
export interface ClientProgram {
  readonly name: string;
  /** Where its sources are; default: the folder of its name beside this file. */
  readonly folder?: string | undefined;
  /** Files and folders of its own folder that it is built from. */
  readonly sources: readonly string[];
  /** What must be on PATH to build it: undefined when nothing has to be built. */
  readonly tool: string | undefined;
  /** Which suite plays it; default: the one of unmodified clients. */
  readonly suite?: "faults" | undefined;
  /** Builds `into` from a copy of the sources, which may be written to. */
  build(into: string, options: { readonly sources: string } & Run): Promise<void>;
  /** How to start what was built, before its arguments. */
  command(built: string, sources: string): readonly string[];
}

/** The copy of go.mod is completed as a new module's is; what the user's own flags and workspaces say stays outside. */
export async function goTool(args: readonly string[], { sources, signal }: { readonly sources: string } & Run): Promise<void> {
  const env = { GOFLAGS: "-mod=mod -buildvcs=false", GOWORK: "off", GOTOOLCHAIN: "local", CGO_ENABLED: "0" };
  await run("go", args, { folder: sources, env, signal });
}

const go: Pick<ClientProgram, "tool" | "build" | "command"> = {
  tool: "go",
  build: (into, at) => goTool(["build", "-trimpath", "-ldflags", "-s -w", "-o", join(into, "program"), "."], at),
  command: (built) => [join(built, "program")],
};

export const programs: readonly ClientProgram[] = [
  {
    name: "client-node",
    sources: ["main.ts", "memcached.ts", "operator.ts", "say.ts", "user.ts"],
    tool: undefined,
    build: async () => {},
    command: (_built, sources) => [process.execPath, "--import", "tsx", join(sources, "main.ts")],
  },
  {
    name: "controller-runtime",
    sources: ["go.mod", "install.go", "main.go", "reconciler.go", "say.go", "types.go", "user.go"],
    ...go,
  },
  {
    name: "client-go",
    sources: ["go.mod", "main.go"],
    suite: "faults",
    ...go,
  },
  {
    name: "kopf",
    sources: ["main.py", "memcached.py", "requirements.txt", "say.py", "user.py"],
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
