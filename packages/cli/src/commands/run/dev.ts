import { mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { type Cluster, startCluster } from "@pintle/cluster";
import { lockFolder } from "@pintle/cluster/internal/folder-lock";
import { ignoreError, runInBackground } from "pintle/internal/errors";
import { writePrivateFile } from "pintle/internal/private-file";
import type { JsonObject } from "pintle/kinds";
import { type Command, CommandError, type Io, type ParsedArguments } from "../../command/index.ts";
import type { StartedConsole } from "../../console/index.ts";
import {
  applyOperatorRbac,
  createBufferedIo,
  createDevWebhooks,
  createServiceAccountKubeconfig,
  createTypeChecker,
  formatLogLine,
  OperatorProcess,
  openKubectlShell,
  watchBuild,
} from "../../dev/index.ts";
import { findRunningCluster, serveRecording } from "../../local-cluster/index.ts";
import { describeProject, findProject, type Project } from "../../project/index.ts";
import {
  CLUSTER_OPTION_DESCRIPTIONS,
  CLUSTER_OPTIONS,
  confirmChange,
  connectToCluster,
  formatOutcome,
  installCrds,
  type TargetCluster,
} from "../../target-cluster/index.ts";
import { applySamples, startDevConsole } from "./dev-console.ts";

export const dev: Command = {
  name: "dev",
  summary: "Run the operator on an embedded cluster with its own RBAC, restart it after every source change, and show type errors.",
  usage: "[--samples] [--data DIR | --context NAME | --kubeconfig FILE] [--open] [--inspect] [--record FILE] [--verbose]",
  options: {
    ...CLUSTER_OPTIONS,
    samples: { type: "boolean" },
    data: { type: "string" },
    inspect: { type: "boolean" },
    "inspect-port": { type: "string" },
    webhooks: { type: "boolean" },
    record: { type: "string" },
    open: { type: "boolean" },
    "console-port": { type: "string" },
    "no-console": { type: "boolean" },
    verbose: { type: "boolean", short: "v" },
  },
  optionDescriptions: {
    samples: "apply config/samples after the operator has started",
    data: "folder that persists the embedded cluster's objects across restarts",
    inspect: "start the operator with --inspect, so that a debugger can attach",
    "inspect-port": "port for the debugger (default: 9229)",
    webhooks: "on an existing cluster: register the webhooks to call this machine, if the API server can reach it",
    record: "write a trace file when the session ends: objects, commits, runs and logs, without secrets",
    open: "open the console, a page about everything that the operator and the cluster do, in the browser",
    "console-port": "port of the console (default: one that is free)",
    "no-console": "do not serve the console",
    verbose: "also print debug log lines, and the stack frames of libraries",
    context: "use this kubeconfig context instead of an embedded cluster",
    kubeconfig: "use the cluster of this kubeconfig instead of an embedded cluster",
    yes: CLUSTER_OPTION_DESCRIPTIONS.yes,
  },
  examples: [
    "pintle dev",
    "pintle dev --samples --open",
    "pintle dev --data .pintle/data",
    "pintle dev --inspect",
    "pintle dev --record session.pintle-trace",
    "pintle dev --context kind-dev",
  ],
  async run(args, terminal) {
    if (args.values["data"] !== undefined && usesExistingCluster(args)) {
      throw new CommandError(
        "PINTLE7006",
        "--data applies to the embedded cluster and cannot be combined with --context or --kubeconfig",
        2,
      );
    }
    if (args.values["record"] !== undefined && usesExistingCluster(args))
      throw new CommandError(
        "PINTLE7006",
        "--record records the embedded cluster and cannot be combined with --context or --kubeconfig",
        2,
      );
    for (const name of ["open", "console-port"])
      if (args.values[name] !== undefined && (usesExistingCluster(args) || args.values["no-console"] === true))
        throw new CommandError("PINTLE7006", `--${name}: the console shows the embedded cluster, and is not served here`, 2);
    const flags = inspectFlags(args.values);
    const project = await findProject(terminal.cwd);
    using _lock = await lockProject(project, usesExistingCluster(args));
    try {
      await runSession(project, { ...args, flags }, terminal);
    } catch (error) {
      // Interrupted during the start: what was started has been stopped.
      if (!terminal.signal.aborted) throw error;
    }
  },
};

const usesExistingCluster = ({ values }: ParsedArguments) => values["context"] !== undefined || values["kubeconfig"] !== undefined;

async function runSession(project: Project, args: ParsedArguments & { readonly flags: readonly string[] }, terminal: Io): Promise<void> {
  await using cluster = await openCluster(args, project, terminal);
  terminal.signal.throwIfAborted();
  const buffered = createBufferedIo(terminal);
  const { io } = buffered;
  await using session = await startSession(project, cluster, args, io);
  await using _console = await openConsole(project, cluster, session, args, io);
  if (args.values["samples"] === true) await session.applySamples();
  if (io.onKeyPress !== undefined) io.out("\n  s apply samples   k kubectl shell   r restart   q quit\n\n");
  const quit = new AbortController();
  let stopListening: (() => void) | undefined;
  const printError = (error: unknown) => io.err(`${error instanceof Error ? error.message : String(error)}\n`);
  const listen = () => {
    stopListening = io.onKeyPress?.((key) => {
      if (key === "s") runInBackground(session.applySamples(), printError);
      else if (key === "k") runInBackground(shell(), printError);
      else if (key === "r") runInBackground(session.restart(), printError);
      else if (key === "q") quit.abort();
    });
  };
  /** Gives the terminal to a shell until it exits; output is buffered meanwhile. */
  const shell = async () => {
    stopListening?.();
    buffered.hold();
    await openKubectlShell(cluster.kubeconfig, project.root, io.signal);
    buffered.release();
    if (!quit.signal.aborted && !io.signal.aborted) listen();
  };
  listen();
  try {
    await session.waitUntil(AbortSignal.any([io.signal, quit.signal]));
  } finally {
    stopListening?.();
    const { record } = args.values;
    if (record !== undefined && cluster.writeTrace !== undefined) {
      await cluster.writeTrace(path.resolve(io.cwd, String(record)), { source: "dev" });
      io.out(`wrote ${record}\n`);
    }
  }
}

/** The files in .pintle belong to one session: a second one would replace them and remove them when it ends. */
async function lockProject({ root }: Project, isClusterGiven: boolean): Promise<Disposable> {
  const folder = path.join(root, ".pintle");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = await lockFolder(folder);
  if ("heldBy" in lock) {
    throw new CommandError("PINTLE7093", `'pintle dev' is already running in ${root} (${lock.heldBy}): use that session, or stop it first`);
  }
  const clusterUp = isClusterGiven ? undefined : await findRunningCluster(path.join(folder, "kubeconfig"));
  if (clusterUp === undefined) return { [Symbol.dispose]: lock.release };
  lock.release();
  const advice = "stop it with 'pintle cluster down', or run 'pintle dev --kubeconfig .pintle/kubeconfig' on it";
  throw new CommandError("PINTLE7085", `a cluster of 'pintle cluster up' is running in ${root}: ${advice}`);
}

/** The console of an embedded cluster; undefined without one. */
async function openConsole(
  project: Project,
  target: DevCluster,
  session: DevSession,
  { values }: ParsedArguments,
  io: Io,
): Promise<StartedConsole | undefined> {
  const { embedded, kubeconfig } = target;
  if (embedded === undefined || kubeconfig === undefined || values["no-console"] === true) return undefined;
  return startDevConsole({
    project,
    cluster: embedded,
    target,
    port: values["console-port"] as string | undefined,
    open: values["open"] === true,
    io,
    kubectl: `kubectl --kubeconfig ${path.relative(io.cwd, kubeconfig)}`,
    restart: () => session.restart(),
    operatorState: () => session.operatorState(),
  });
}

interface DevSession extends AsyncDisposable {
  applySamples(): Promise<void>;
  restart(): Promise<void>;
  operatorState(): OperatorState;
  waitUntil(signal: AbortSignal): Promise<void>;
}

type OperatorState = { readonly state: "running" | "stopped" | "starting"; readonly since: number };

/** The cluster that the operator runs on. */
interface DevCluster extends TargetCluster {
  readonly kubeconfig: string | undefined;
  /** Set for an embedded cluster only. */
  readonly routeService?: Cluster["routeService"] | undefined;
  /** Set for an embedded cluster only. */
  readonly recorder?: Cluster["recorder"] | undefined;
  /** Set for an embedded cluster only. */
  readonly writeTrace?: Cluster["writeTrace"] | undefined;
  /** Default: the cluster exists already. */
  readonly embedded?: Cluster | undefined;
}

async function openCluster(args: ParsedArguments, project: Project, io: Io): Promise<DevCluster> {
  if (usesExistingCluster(args)) {
    const cluster = await connectToCluster(args, io);
    await confirmChange(cluster, `run ${project.name} from source and apply its CRDs and RBAC`, args, io);
    const { kubeconfig } = args.values;
    return { ...cluster, kubeconfig: kubeconfig === undefined ? undefined : path.resolve(io.cwd, String(kubeconfig)) };
  }
  const { data } = args.values;
  const cluster = await startCluster({
    http: true,
    recorder: true,
    store: data === undefined ? "memory" : { file: path.resolve(io.cwd, String(data)) },
  });
  const kubeconfig = path.join(project.root, ".pintle", "kubeconfig");
  let recording: AsyncDisposable | undefined;
  const close = async () => {
    await recording?.[Symbol.asyncDispose]();
    rmSync(kubeconfig, { force: true });
    await cluster.stop();
  };
  const connectEmbedded = async () => {
    await cluster.writeKubeconfig(kubeconfig);
    recording = await serveRecording(cluster, kubeconfig);
    return connectToCluster({ values: { kubeconfig }, positionals: [] }, io);
  };
  const found = await connectEmbedded().catch(async (error: unknown) => {
    await close();
    throw error;
  });
  io.out(
    `embedded cluster ${cluster.url} is running${data === undefined ? "" : `, data in ${data}`}\n\n  kubectl --kubeconfig ${path.relative(io.cwd, kubeconfig)} get all\n  pintle why RESOURCE NAME\n\n`,
  );
  return {
    ...found,
    kubeconfig,
    routeService: cluster.routeService,
    recorder: cluster.recorder,
    writeTrace: cluster.writeTrace,
    embedded: cluster,
    async [Symbol.asyncDispose]() {
      await found[Symbol.asyncDispose]();
      await close();
    },
  };
}

async function startSession(
  project: Project,
  cluster: DevCluster,
  { values, flags }: ParsedArguments & { readonly flags: readonly string[] },
  io: Io,
): Promise<DevSession> {
  const { client, access } = cluster;
  const options = { verbose: values["verbose"] === true, color: io.tty, root: project.root };
  const log = (text: string) => io.out(`${text}\n`);
  const kubeconfig = path.join(project.root, ".pintle", "operator.kubeconfig");
  const ready = createReadySignal();
  const webhooks = createDevWebhooks({
    client,
    project,
    routeService: cluster.routeService,
    isEnabled: values["webhooks"] === true,
    isLocal: cluster.isLocal,
    signal: io.signal,
    log,
  });

  let operator: OperatorState = { state: "starting", since: Date.now() };
  const setState = (state: OperatorState["state"]) => {
    operator = { state, since: Date.now() };
  };
  const recordBuild = (result: "started" | "restarted" | "failed", duration: number, problems?: readonly string[]) =>
    cluster.recorder?.record({ type: "build", result, entry: project.entry, duration: Math.round(duration), problems });
  /** Applies CRDs and RBAC, then (re)starts the operator, so that it finds its kinds and permissions. */
  async function reload(isFirst: boolean, file?: string | undefined): Promise<void> {
    const startedAt = performance.now();
    try {
      const description = await webhooks.withConversionEndpoint(await describeProject(project, isFirst ? undefined : file, io.signal));
      const outcomes = await installCrds(client, description, io);
      for (const { crd } of description.resources) {
        const outcome = outcomes.get(crd.metadata.name)!;
        if (outcome !== "unchanged") log(formatOutcome(crd as unknown as JsonObject, outcome));
      }
      await applyOperatorRbac(client, project, description, io.signal);
      if (isFirst) writePrivateFile(kubeconfig, await createServiceAccountKubeconfig(client, access, project, io.signal));
      setState("starting");
      await child.restart();
      setState("running");
      await webhooks.register(description);
      log(
        `operator ${isFirst ? "started" : "restarted"}: ${project.entry} as serviceaccount ${project.namespace}/${project.name}-controller-manager (${Math.round(performance.now() - startedAt)} ms)`,
      );
      recordBuild(isFirst ? "started" : "restarted", performance.now() - startedAt);
      ready.open();
    } catch (error) {
      if (isFirst) return ready.close(error);
      if (io.signal.aborted) return;
      recordBuild("failed", performance.now() - startedAt, [error instanceof Error ? error.message : String(error)]);
      io.err(`error: ${error instanceof CommandError ? error.message : String(error)}\nThe previous build keeps running.\n`);
    }
  }
  const types = createTypeChecker({
    root: project.root,
    log,
    onErrors: (errors) => io.err(`${errors.join("\n")}\nThe operator runs in spite of type errors.\n`),
  });
  let lastReload: Promise<void> = Promise.resolve();
  const builds = await watchBuild(project.root, project.entry, (problems, first, file) => {
    if (problems.length === 0) {
      lastReload = lastReload.then(() => reload(first, file));
      types.start();
    } else if (first)
      ready.close(new CommandError("PINTLE7025", `${project.entry} does not compile:\n${problems.map((each) => `  ${each}`).join("\n")}`));
    else {
      recordBuild("failed", 0, problems);
      io.err(`${problems.join("\n")}\nThe previous build keeps running.\n`);
    }
  });
  const child = new OperatorProcess({
    file: builds.file,
    cwd: project.root,
    env: { ...process.env, KUBECONFIG: kubeconfig, POD_NAMESPACE: project.namespace },
    args: webhooks.args,
    flags,
    onLine: (text) => {
      const line = formatLogLine(text, options);
      if (line !== undefined) log(line);
    },
    recorder: cluster.recorder,
    onExit(why) {
      setState("stopped");
      io.err(`operator exited unexpectedly (${why}); it restarts with the next source change\n`);
    },
    onKill: (limit) => io.err(`the operator did not stop within ${limit / 1000}s and was killed\n`),
  });
  async function stop(): Promise<void> {
    await types[Symbol.asyncDispose]();
    await builds[Symbol.asyncDispose]();
    await lastReload;
    await webhooks[Symbol.asyncDispose]();
    await child[Symbol.asyncDispose]();
    rmSync(kubeconfig, { force: true });
  }
  const interrupt = () => ready.close(io.signal.reason);
  if (io.signal.aborted) interrupt();
  io.signal.addEventListener("abort", interrupt, { once: true });
  try {
    await ready.promise;
  } catch (error) {
    await stop();
    throw error;
  }
  const restart = () => {
    lastReload = lastReload.then(() => reload(false, builds.file));
    return lastReload;
  };
  const samples = () =>
    printSamples(project, cluster, io).catch((error: unknown) => {
      if (!io.signal.aborted) io.err(`${error instanceof Error ? error.message : String(error)}\n`);
    });
  return { applySamples: samples, restart, operatorState: () => operator, waitUntil: waitForAbort, [Symbol.asyncDispose]: stop };
}

async function printSamples(project: Project, cluster: TargetCluster, io: Io): Promise<void> {
  for await (const { object, outcome } of applySamples(project, cluster, io.signal)) io.out(`${formatOutcome(object, outcome)}\n`);
}

function inspectFlags({ inspect, "inspect-port": port }: ParsedArguments["values"]): readonly string[] {
  if (port === undefined) return inspect === true ? ["--inspect"] : [];
  if (/^\d+$/.test(String(port))) return [`--inspect=${port}`];
  throw new CommandError("PINTLE7005", `invalid --inspect-port "${port}": must be a port number`, 2);
}

function createReadySignal() {
  let open!: () => void;
  let close!: (error: unknown) => void;
  const promise = new Promise<void>((resolve, reject) => {
    [open, close] = [resolve, reject];
  });
  // Prevents an unhandled rejection if it is rejected before it is awaited.
  runInBackground(promise, ignoreError);
  return { promise, open, close };
}

function waitForAbort(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
