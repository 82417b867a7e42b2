import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { startCluster } from "@pintle/cluster";
import type { JsonObject } from "pintle/kinds";
import { type Arguments, type Command, CommandError, type Io } from "../command.ts";
import { accountKubeconfig, grant, OperatorProcess, rebuild, storyLine } from "../dev/index.ts";
import { readYaml } from "../manifests/index.ts";
import { describe, findProject, type Project, samplesOf } from "../project/index.ts";
import { apply, confirm, establish, nameOf, REACH_ABOUT, REACH_OPTIONS, type Reach, reach } from "../reach/index.ts";

export const dev: Command = {
  name: "dev",
  summary: "Run the operator on an embedded cluster, with its own rights, and again after every change.",
  usage: "[--samples] [--context NAME] [--kubeconfig FILE] [--inspect] [--verbose]",
  options: {
    ...REACH_OPTIONS,
    samples: { type: "boolean" },
    inspect: { type: "boolean" },
    verbose: { type: "boolean", short: "v" },
  },
  about: {
    samples: "apply config/samples once the operator runs",
    inspect: "let a debugger attach to the operator",
    verbose: "show what led to nothing, too",
    context: "work on this context of a kubeconfig instead of an embedded cluster",
    kubeconfig: "work on the cluster of this kubeconfig instead of an embedded one",
    yes: REACH_ABOUT.yes,
  },
  examples: ["pintle dev", "pintle dev --samples", "pintle dev --context kind-dev"],
  async run(args, io) {
    const project = await findProject(io.cwd);
    await using cluster = await foreignOrOwn(args, project, io);
    await using session = await begin(project, cluster, args, io);
    if (args.values["samples"] === true) await session.samples();
    if (io.keys !== undefined) io.out("\n  s apply samples   r restart   q quit\n\n");
    const quit = new AbortController();
    const forget = io.keys?.((key) => {
      if (key === "s") void session.samples();
      else if (key === "r") void session.restart();
      else if (key === "q") quit.abort();
    });
    try {
      await session.until(AbortSignal.any([io.signal, quit.signal]));
    } finally {
      forget?.();
    }
  },
};

interface Session extends AsyncDisposable {
  samples(): Promise<void>;
  restart(): Promise<void>;
  until(signal: AbortSignal): Promise<void>;
}

async function foreignOrOwn(args: Arguments, project: Project, io: Io): Promise<Reach> {
  if (args.values["context"] !== undefined || args.values["kubeconfig"] !== undefined) {
    const cluster = await reach(args, io.signal);
    await confirm(cluster, `run ${project.name} from its sources, with its definitions and roles`, args, io);
    return cluster;
  }
  const cluster = await startCluster({ http: true });
  const kubeconfig = path.join(project.root, ".pintle", "kubeconfig");
  await cluster.writeKubeconfig(kubeconfig);
  const found = await reach({ values: { kubeconfig }, positionals: [] }, io.signal);
  io.out(`cluster: embedded, ${cluster.url}\n\n  kubectl --kubeconfig ${path.relative(io.cwd, kubeconfig)} get all\n\n`);
  return {
    ...found,
    async [Symbol.asyncDispose]() {
      await found[Symbol.asyncDispose]();
      rmSync(kubeconfig, { force: true });
      await cluster.stop();
    },
  };
}

async function begin(project: Project, cluster: Reach, { values }: Arguments, io: Io): Promise<Session> {
  const { client, access } = cluster;
  const options = { verbose: values["verbose"] === true, colour: io.tty };
  const say = (text: string) => io.out(`${text}\n`);
  const kubeconfig = path.join(project.root, ".pintle", "operator.kubeconfig");
  const ready = gate();

  /** Definitions and rights first, so that the operator finds what it asks for. */
  async function renew(first: boolean): Promise<void> {
    const began = performance.now();
    try {
      const operator = await describe(project);
      for (const [name, outcome] of await establish(client, operator, io)) if (outcome !== "unchanged") say(`crd       ${name} ${outcome}`);
      await grant(client, project, operator, io.signal);
      if (first) writeFileSync(kubeconfig, await accountKubeconfig(client, access, project, io.signal), { mode: 0o600 });
      await child.restart();
      say(
        `${first ? "started   " : "restarted "}${project.entry} as ${project.namespace}/${project.name}-controller-manager, ${Math.round(performance.now() - began)} ms`,
      );
      ready.open();
    } catch (error) {
      if (io.signal.aborted) return;
      if (first) return ready.close(error);
      io.err(`${error instanceof CommandError ? error.message : String(error)}\nthe operator goes on as it was\n`);
    }
  }
  let turn: Promise<void> = Promise.resolve();
  const builds = await rebuild(project.root, project.entry, (problems, first) => {
    if (problems.length === 0) turn = turn.then(() => renew(first));
    else if (first)
      ready.close(new CommandError(`pintle dev: ${project.entry} does not compile:\n${problems.map((each) => `  ${each}`).join("\n")}`));
    else io.err(`${problems.join("\n")}\nthe operator goes on as it was\n`);
  });
  const child = new OperatorProcess({
    file: builds.file,
    cwd: project.root,
    env: { ...process.env, KUBECONFIG: kubeconfig, POD_NAMESPACE: project.namespace },
    flags: values["inspect"] === true ? ["--inspect"] : [],
    line: (text) => {
      const line = storyLine(text, options);
      if (line !== undefined) say(line);
    },
    ended: (why) => io.err(`the operator ended by itself (${why}); it starts again with the next change\n`),
  });
  async function end(): Promise<void> {
    await builds[Symbol.asyncDispose]();
    await turn;
    await child[Symbol.asyncDispose]();
    rmSync(kubeconfig, { force: true });
  }
  try {
    await ready.promise;
  } catch (error) {
    await end();
    throw error;
  }
  return { samples: () => applySamples(project, cluster, io), restart: () => child.restart(), until: stopped, [Symbol.asyncDispose]: end };
}

async function applySamples(project: Project, { client }: Reach, io: Io): Promise<void> {
  for (const file of samplesOf(project)) {
    for (const sample of readYaml(readFileSync(path.join(project.root, file), "utf8"), file) as readonly JsonObject[]) {
      const placed = { ...sample, metadata: { namespace: "default", ...(sample["metadata"] as JsonObject) } };
      io.out(`sample    ${nameOf(placed)} ${await apply(client, placed, io.signal)}\n`);
    }
  }
}

function gate() {
  let open!: () => void;
  let close!: (error: unknown) => void;
  const promise = new Promise<void>((resolve, reject) => {
    [open, close] = [resolve, reject];
  });
  return { promise, open, close };
}

function stopped(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
