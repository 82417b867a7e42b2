import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Container, Pod } from "pintle/kinds/core/v1";
import { ContainerConfigError } from "../environment/config-sources.ts";
import { buildEnvironment, expandVariables, writeServiceAccountKubeconfig } from "../environment/container-environment.ts";
import { buildCommand, findProgram, getSearchPath } from "../image/image-command.ts";
import type { LocalImage } from "../image/image-manager.ts";
import type { ImageEntry } from "../image/image-table.ts";
import type { NodeContext } from "../node-context.ts";
import type { ContainerLaunch, PodSandbox, ProcessUser } from "../runtime/isolation-driver.ts";
import { getTerminationLogPath, launchContainer, type RunningContainer } from "../runtime/running-container.ts";
import { buildVolumeContext } from "../volume/volume-context.ts";
import { type ResolvedMount, resolveMounts } from "../volume/volume-manager.ts";
import { resolveCapabilities } from "./capabilities.ts";

/** The program could not be started: the message of the runtime's `StartError`. */
export class ContainerStartError extends Error {}

export interface PodSandboxContext {
  readonly folder: string;
  readonly sandbox: PodSandbox;
  /** Files that the kubelet mounts into every container. */
  readonly hostFiles: readonly ResolvedMount[];
}

/** Starts a container: resolves its environment, volumes and command, and launches the process. */
export async function startContainer(
  context: NodeContext,
  pod: Pod,
  container: Container,
  image: LocalImage,
  podContext: PodSandboxContext,
  run: { readonly id: string; readonly number: number },
): Promise<RunningContainer> {
  const folder = path.join(podContext.folder, "containers", container.name, String(run.number));
  const launch = await buildLaunch(context, pod, container, image, podContext, folder);
  const logPath = getLogPath(podContext.folder, container.name, run.number);
  try {
    return await launchContainer({
      id: run.id,
      spec: container,
      launch,
      sandbox: podContext.sandbox,
      findProgram: (word) =>
        findContainerProgram(word, image.entry, image.rootfs, launch.env["PATH"] ?? "", context.driver.mode === "loopback") ?? word,
      logPath,
      guard: context.guard,
      clock: context.clock,
    });
  } catch (error) {
    if (error instanceof ContainerConfigError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === "ENOENT" ? "no such file or directory" : code === "EACCES" ? "permission denied" : (message ?? String(error));
    throw new ContainerStartError(formatStartError(launch.argv[0] ?? "", reason));
  }
}

export const getLogPath = (folder: string, container: string, run: number) => path.join(folder, "logs", container, `${run}.log`);

async function buildLaunch(
  context: NodeContext,
  pod: Pod,
  container: Container,
  { entry, rootfs }: LocalImage,
  { folder: podFolder, sandbox, hostFiles }: PodSandboxContext,
  folder: string,
): Promise<ContainerLaunch> {
  const { driver } = context;
  const volumeContext = buildVolumeContext(context, pod, sandbox.address, podFolder);
  const podVariables = await buildEnvironment(pod, container, { ...volumeContext, services: listLinkedServices(context, pod) });
  const files = path.join(folder, "files");
  const resolveVariable = (name: string) => (name === "POD_IP" ? sandbox.address : name === "FILES" ? files : undefined);
  const configFiles = Object.entries(entry.files ?? {});
  if (configFiles.length > 0) await mkdir(files, { recursive: true, mode: 0o777 });
  for (const [name, text] of configFiles) await writeFile(path.join(files, name), expandVariables(text, resolveVariable));
  const imageVariables = Object.fromEntries(
    Object.entries(entry.env ?? {}).map(([name, value]) => [name, expandVariables(value, resolveVariable)]),
  );
  const isLoopback = driver.mode === "loopback";
  const search = getSearchPath();
  // Without a root of its own, an unpacked image runs with the programs of this machine.
  const pathOverride = isLoopback ? { PATH: search } : {};
  const variables: Readonly<Record<string, string>> = {
    PATH: search,
    HOME: "/root",
    ...imageVariables,
    ...pathOverride,
    ...getApiServerVariables(context),
    ...podVariables,
  };
  const mounts = await resolveMounts(pod, container, variables, volumeContext);
  await mkdir(folder, { recursive: true });
  const env = isLoopback
    ? { ...variables, ...(await writeServiceAccountKubeconfig(mounts, variables, folder, pod.metadata.namespace)) }
    : variables;
  // An unpacked image runs its own entrypoint.
  const isProgram = rootfs === undefined ? (each: string) => findProgram(each, entry, search) !== undefined : undefined;
  const argv = buildCommand(container, entry, isLoopback, isProgram).map((word) =>
    expandVariables(word, (name) => env[name] ?? resolveVariable(name)),
  );
  const [word] = argv;
  if (word === undefined) throw new ContainerStartError("no command specified");
  const program = findContainerProgram(word, entry, rootfs, env["PATH"] ?? search, isLoopback);
  if (program === undefined && !word.includes("/"))
    throw new ContainerStartError(formatStartError(word, "executable file not found in $PATH"));
  const terminationLog: ResolvedMount = {
    source: getTerminationLogPath(folder),
    path: container.terminationMessagePath ?? "/dev/termination-log",
    readOnly: false,
  };
  const workingDir = container.workingDir ?? entry.workingDir;
  return {
    argv: [program ?? word, ...argv.slice(1)],
    env,
    ...(workingDir === undefined ? {} : { workingDir }),
    mounts: [...hostFiles, ...mounts, terminationLog],
    user: resolveUser(pod, container, entry.user),
    readOnlyRoot: container.securityContext?.readOnlyRootFilesystem === true,
    files,
    capabilities: resolveCapabilities(container.securityContext),
    noNewPrivileges: container.securityContext?.allowPrivilegeEscalation === false,
    folder,
    ...(rootfs === undefined ? {} : { rootfs }),
  };
}

/** Finds the program for a word: in the image if that is the container's root, otherwise on this machine. */
function findContainerProgram(
  word: string,
  entry: ImageEntry,
  rootfs: string | undefined,
  search: string,
  isLoopback: boolean,
): string | undefined {
  if (rootfs === undefined) return findProgram(word, entry, search);
  if (!isLoopback) return word;
  if (path.basename(word) === "node") return process.execPath;
  const inImage = word.startsWith("/") ? path.join(rootfs, word) : word;
  return existsSync(inImage) ? inImage : findProgram(word, entry, search);
}

/** Without a pod network, containers connect to the API server's real address. */
function getApiServerVariables({ driver, serviceDirectory }: NodeContext): Readonly<Record<string, string>> {
  const service = serviceDirectory.services.get({ namespace: "default", name: "kubernetes" });
  const [at] = driver.mode !== "loopback" || service === undefined ? [] : serviceDirectory.listBackends(service, "https");
  return at === undefined ? {} : { KUBERNETES_SERVICE_HOST: at.address, KUBERNETES_SERVICE_PORT: String(at.port) };
}

function listLinkedServices({ serviceDirectory, driver }: NodeContext, pod: Pod) {
  const master = serviceDirectory.services.get({ namespace: "default", name: "kubernetes" });
  const services = pod.spec.enableServiceLinks === false ? [] : serviceDirectory.services.list({ namespace: pod.metadata.namespace });
  const others = services.filter((service) => service !== master);
  return master === undefined || driver.mode === "loopback" ? others : [master, ...others];
}

function resolveUser(pod: Pod, { securityContext = {} }: Container, fallback: string | undefined): ProcessUser | undefined {
  const { runAsUser, runAsGroup, runAsNonRoot } = { ...pod.spec.securityContext, ...securityContext };
  if (runAsNonRoot === true && runAsUser === 0)
    throw new ContainerConfigError("container's runAsUser breaks non-root policy (runAsNonRoot is set and runAsUser is 0)");
  const [uid, gid] = (fallback ?? (runAsNonRoot === true ? "65534:65534" : ""))
    .split(":")
    .map((each) => (each === "" ? undefined : Number(each)));
  const user = runAsUser ?? uid;
  return user === undefined || Number.isNaN(user)
    ? undefined
    : { uid: user, gid: runAsGroup ?? gid ?? (runAsUser === undefined ? user : 0) };
}

const formatStartError = (word: string, reason: string) =>
  `failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: error during container init: exec: "${word}": ${reason}`;
