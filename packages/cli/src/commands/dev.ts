import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type Cluster, startCluster } from "@pintle/cluster";
import type { JsonObject } from "pintle/kinds";
import { type Arguments, type Command, CommandError, type Io } from "../command.ts";
import { accountKubeconfig, devWebhooks, grant, heldVoice, kubectlShell, OperatorProcess, rebuild, storyLine } from "../dev/index.ts";
import { readYaml } from "../manifests/index.ts";
import { describe, findProject, type Project, samplesOf } from "../project/index.ts";
import { apply, confirm, establish, nameOf, REACH_ABOUT, REACH_OPTIONS, type Reach, reach } from "../reach/index.ts";

export const dev: Command = {
  name: "dev",
  summary: "Run the operator on an embedded cluster, with its own rights, and again after every change.",
  usage: "[--samples] [--data DIR | --context NAME | --kubeconfig FILE] [--inspect] [--verbose]",
  options: {
    ...REACH_OPTIONS,
    samples: { type: "boolean" },
    data: { type: "string" },
    inspect: { type: "boolean" },
    "inspect-port": { type: "string" },
    webhooks: { type: "boolean" },
    verbose: { type: "boolean", short: "v" },
  },
  about: {
    samples: "apply config/samples once the operator runs",
    data: "folder to keep the embedded cluster's objects in: they are there again at the next start",
    inspect: "let a debugger attach to the operator",
    "inspect-port": "where the debugger attaches (default: 9229)",
    webhooks: "on a cluster that is not embedded: have it ask this machine, if it can reach it",
    verbose: "show what led to nothing, too",
    context: "work on this context of a kubeconfig instead of an embedded cluster",
    kubeconfig: "work on the cluster of this kubeconfig instead of an embedded one",
    yes: REACH_ABOUT.yes,
  },
  examples: [
    "pintle dev",
    "pintle dev --samples",
    "pintle dev --data .pintle/data",
    "pintle dev --inspect",
    "pintle dev --context kind-dev",
  ],
  async run(args, terminal) {
    if (args.values["data"] !== undefined && (args.values["context"] ?? args.values["kubeconfig"]) !== undefined) {
      throw new CommandError("pintle dev: --data is for the embedded cluster: leave it out, or --context and --kubeconfig", 2);
    }
    const flags = inspection(args.values);
    const project = await findProject(terminal.cwd);
    await using cluster = await foreignOrOwn(args, project, terminal);
    const voice = heldVoice(terminal);
    const { io } = voice;
    await using session = await begin(project, cluster, { ...args, flags }, io);
    if (args.values["samples"] === true) await session.samples();
    if (io.keys !== undefined) io.out("\n  s apply samples   k kubectl shell   r restart   q quit\n\n");
    const quit = new AbortController();
    let forget: (() => void) | undefined;
    const listen = () => {
      forget = io.keys?.((key) => {
        if (key === "s") void session.samples();
        else if (key === "k") void shell();
        else if (key === "r") void session.restart();
        else if (key === "q") quit.abort();
      });
    };
    /** The terminal is the shell's until it ends; what happens meanwhile is told after. */
    const shell = async () => {
      forget?.();
      voice.hold();
      await kubectlShell(cluster.kubeconfig, project.root, io.signal);
      voice.release();
      if (!quit.signal.aborted && !io.signal.aborted) listen();
    };
    listen();
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

/** The cluster that is worked on. */
interface Worked extends Reach {
  readonly kubeconfig: string | undefined;
  /** Only of an embedded one. */
  readonly route?: Cluster["routeService"] | undefined;
}

async function foreignOrOwn(args: Arguments, project: Project, io: Io): Promise<Worked> {
  if (args.values["context"] !== undefined || args.values["kubeconfig"] !== undefined) {
    const cluster = await reach(args, io);
    await confirm(cluster, `run ${project.name} from its sources, with its definitions and roles`, args, io);
    const { kubeconfig } = args.values;
    return { ...cluster, kubeconfig: kubeconfig === undefined ? undefined : path.resolve(io.cwd, String(kubeconfig)) };
  }
  const { data } = args.values;
  const cluster = await startCluster({ http: true, store: data === undefined ? "memory" : { file: path.resolve(io.cwd, String(data)) } });
  const kubeconfig = path.join(project.root, ".pintle", "kubeconfig");
  await cluster.writeKubeconfig(kubeconfig);
  const found = await reach({ values: { kubeconfig }, positionals: [] }, io);
  io.out(
    `cluster: embedded, ${cluster.url}${data === undefined ? "" : `, kept in ${data}`}\n\n  kubectl --kubeconfig ${path.relative(io.cwd, kubeconfig)} get all\n\n`,
  );
  return {
    ...found,
    kubeconfig,
    route: cluster.routeService,
    async [Symbol.asyncDispose]() {
      await found[Symbol.asyncDispose]();
      rmSync(kubeconfig, { force: true });
      await cluster.stop();
    },
  };
}

async function begin(
  project: Project,
  cluster: Worked,
  { values, flags }: Arguments & { readonly flags: readonly string[] },
  io: Io,
): Promise<Session> {
  const { client, access } = cluster;
  const options = { verbose: values["verbose"] === true, colour: io.tty };
  const say = (text: string) => io.out(`${text}\n`);
  const kubeconfig = path.join(project.root, ".pintle", "operator.kubeconfig");
  const ready = gate();
  const webhooks = devWebhooks({
    client,
    project,
    route: cluster.route,
    wanted: values["webhooks"] === true,
    local: cluster.local,
    signal: io.signal,
    say,
  });

  /** Definitions and rights first, so that the operator finds what it asks for. */
  async function renew(first: boolean, file?: string | undefined): Promise<void> {
    const began = performance.now();
    try {
      const operator = await webhooks.placed(await describe(project, first ? undefined : file));
      for (const [name, outcome] of await establish(client, operator, io)) if (outcome !== "unchanged") say(`crd       ${name} ${outcome}`);
      await grant(client, project, operator, io.signal);
      if (first) writeFileSync(kubeconfig, await accountKubeconfig(client, access, project, io.signal), { mode: 0o600 });
      await child.restart();
      await webhooks.register(operator);
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
  const builds = await rebuild(project.root, project.entry, (problems, first, file) => {
    if (problems.length === 0) turn = turn.then(() => renew(first, file));
    else if (first)
      ready.close(new CommandError(`pintle dev: ${project.entry} does not compile:\n${problems.map((each) => `  ${each}`).join("\n")}`));
    else io.err(`${problems.join("\n")}\nthe operator goes on as it was\n`);
  });
  const child = new OperatorProcess({
    file: builds.file,
    cwd: project.root,
    env: { ...process.env, KUBECONFIG: kubeconfig, POD_NAMESPACE: project.namespace },
    args: webhooks.args,
    flags,
    line: (text) => {
      const line = storyLine(text, options);
      if (line !== undefined) say(line);
    },
    ended: (why) => io.err(`the operator ended by itself (${why}); it starts again with the next change\n`),
  });
  async function end(): Promise<void> {
    await builds[Symbol.asyncDispose]();
    await turn;
    await webhooks[Symbol.asyncDispose]();
    await child[Symbol.asyncDispose]();
    rmSync(kubeconfig, { force: true });
  }
  try {
    await ready.promise;
  } catch (error) {
    await end();
    throw error;
  }
  const restart = () => {
    turn = turn.then(() => renew(false, builds.file));
    return turn;
  };
  const samples = () =>
    applySamples(project, cluster, io).catch((error: unknown) => {
      if (!io.signal.aborted) io.err(`${error instanceof Error ? error.message : String(error)}\n`);
    });
  return { samples, restart, until: stopped, [Symbol.asyncDispose]: end };
}

async function applySamples(project: Project, { client }: Reach, io: Io): Promise<void> {
  for (const file of samplesOf(project)) {
    for (const sample of readYaml(readFileSync(path.join(project.root, file), "utf8"), file) as readonly JsonObject[]) {
      const placed = { ...sample, metadata: { namespace: "default", ...(sample["metadata"] as JsonObject) } };
      io.out(`sample    ${nameOf(placed)} ${await apply(client, placed, io.signal)}\n`);
    }
  }
}

function inspection({ inspect, "inspect-port": port }: Arguments["values"]): readonly string[] {
  if (port === undefined) return inspect === true ? ["--inspect"] : [];
  if (/^\d+$/.test(String(port))) return [`--inspect=${port}`];
  throw new CommandError(`pintle dev: --inspect-port ${port} is no port`, 2);
}

function gate() {
  let open!: () => void;
  let close!: (error: unknown) => void;
  const promise = new Promise<void>((resolve, reject) => {
    [open, close] = [resolve, reject];
  });
  // It may be closed before anybody waits at it.
  promise.catch(() => {});
  return { promise, open, close };
}

function stopped(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
