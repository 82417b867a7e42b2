import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Container, Pod } from "pintle/kinds/core/v1";
import { environment } from "./environment/environment.ts";
import { expand } from "./environment/expand.ts";
import { accountConfig } from "./environment/kubeconfig.ts";
import { ConfigProblem } from "./environment/problem.ts";
import type { Ground } from "./ground.ts";
import { commandOf, programOf, searchPath } from "./image/command.ts";
import type { LocalImage } from "./image/image-store.ts";
import type { ImageEntry } from "./image/table.ts";
import { lastWords, type RunningContainer, runContainer } from "./runtime/container.ts";
import type { Launch, Sandbox, User } from "./runtime/driver.ts";
import { type Mount, mountsOf } from "./volume/volumes.ts";
import { volumeFacts } from "./volume-facts.ts";

/** The program could not be started at all: what a runtime's `StartError` says. */
export class StartProblem extends Error {}

export interface PodPlace {
  readonly folder: string;
  readonly sandbox: Sandbox;
  /** Files of the node's own in every container. */
  readonly etc: readonly Mount[];
}

/** Everything between "start this container" and its process. */
export async function makeContainer(
  ground: Ground,
  pod: Pod,
  container: Container,
  image: LocalImage,
  place: PodPlace,
  run: { readonly id: string; readonly number: number },
): Promise<RunningContainer> {
  const folder = path.join(place.folder, "containers", container.name, String(run.number));
  const launch = await launchOf(ground, pod, container, image, place, folder);
  const logPath = logPathOf(place.folder, container.name, run.number);
  try {
    return await runContainer({
      id: run.id,
      spec: container,
      launch,
      sandbox: place.sandbox,
      find: (word) => programIn(word, image.entry, image.rootfs, launch.env["PATH"] ?? "", ground.driver.mode === "loopback") ?? word,
      logPath,
      guard: ground.guard,
      clock: ground.clock,
    });
  } catch (error) {
    if (error instanceof ConfigProblem) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? "no such file or directory" : code === "EACCES" ? "permission denied" : (message ?? String(error));
    throw new StartProblem(startError(launch.argv[0] ?? "", why));
  }
}

export const logPathOf = (folder: string, container: string, run: number) => path.join(folder, "logs", container, `${run}.log`);

async function launchOf(
  ground: Ground,
  pod: Pod,
  container: Container,
  { entry, rootfs }: LocalImage,
  { folder: podFolder, sandbox, etc }: PodPlace,
  folder: string,
): Promise<Launch> {
  const { driver } = ground;
  const facts = volumeFacts(ground, pod, sandbox.address, podFolder);
  const own = await environment(pod, container, { ...facts, services: servicesFor(ground, pod) });
  const files = path.join(folder, "files");
  const meant = (name: string) => (name === "POD_IP" ? sandbox.address : name === "FILES" ? files : undefined);
  const texts = Object.entries(entry.files ?? {});
  if (texts.length > 0) await mkdir(files, { recursive: true, mode: 0o777 });
  for (const [name, text] of texts) await writeFile(path.join(files, name), expand(text, meant));
  const given = Object.fromEntries(Object.entries(entry.env ?? {}).map(([name, value]) => [name, expand(value, meant)]));
  const isLoopback = driver.mode === "loopback";
  const search = searchPath();
  // Without a root of its own, an unpacked image runs on what this machine has.
  const machine = isLoopback ? { PATH: search } : {};
  const told: Readonly<Record<string, string>> = { PATH: search, HOME: "/root", ...given, ...machine, ...apiServer(ground), ...own };
  const mounts = await mountsOf(pod, container, told, facts);
  await mkdir(folder, { recursive: true });
  const env = isLoopback ? { ...told, ...(await accountConfig(mounts, told, folder, pod.metadata.namespace)) } : told;
  // An unpacked image begins with whatever it says itself.
  const isProgram = rootfs === undefined ? (each: string) => programOf(each, entry, search) !== undefined : undefined;
  const argv = commandOf(container, entry, isLoopback, isProgram).map((word) => expand(word, (name) => env[name] ?? meant(name)));
  const [word] = argv;
  if (word === undefined) throw new StartProblem("no command specified");
  const program = programIn(word, entry, rootfs, env["PATH"] ?? search, isLoopback);
  if (program === undefined && !word.includes("/")) throw new StartProblem(startError(word, "executable file not found in $PATH"));
  const words: Mount = {
    source: lastWords(folder),
    path: container.terminationMessagePath ?? "/dev/termination-log",
    readOnly: false,
  };
  const workingDir = container.workingDir ?? entry.workingDir;
  return {
    argv: [program ?? word, ...argv.slice(1)],
    env,
    ...(workingDir === undefined ? {} : { workingDir }),
    mounts: [...etc, ...mounts, words],
    user: userOf(pod, container, entry.user),
    folder,
    ...(rootfs === undefined ? {} : { rootfs }),
  };
}

/** The program a word means: found in the image where that is the container's root, else on this machine. */
function programIn(word: string, entry: ImageEntry, rootfs: string | undefined, search: string, isLoopback: boolean): string | undefined {
  if (rootfs === undefined) return programOf(word, entry, search);
  if (!isLoopback) return word;
  if (path.basename(word) === "node") return process.execPath;
  const inImage = word.startsWith("/") ? path.join(rootfs, word) : word;
  return existsSync(inImage) ? inImage : programOf(word, entry, search);
}

/** Where pods have no network of their own, the server is where it is for everybody. */
function apiServer({ driver, directory }: Ground): Readonly<Record<string, string>> {
  const service = directory.services.get({ namespace: "default", name: "kubernetes" });
  const [at] = driver.mode !== "loopback" || service === undefined ? [] : directory.backends(service, "https");
  return at === undefined ? {} : { KUBERNETES_SERVICE_HOST: at.address, KUBERNETES_SERVICE_PORT: String(at.port) };
}

function servicesFor({ directory, driver }: Ground, pod: Pod) {
  const master = directory.services.get({ namespace: "default", name: "kubernetes" });
  const own = pod.spec.enableServiceLinks === false ? [] : directory.services.list({ namespace: pod.metadata.namespace });
  const others = own.filter((service) => service !== master);
  return master === undefined || driver.mode === "loopback" ? others : [master, ...others];
}

function userOf(pod: Pod, { securityContext = {} }: Container, fallback: string | undefined): User | undefined {
  const { runAsUser, runAsGroup, runAsNonRoot } = { ...pod.spec.securityContext, ...securityContext };
  if (runAsNonRoot === true && runAsUser === 0)
    throw new ConfigProblem("container's runAsUser breaks non-root policy (pod and container say runAsNonRoot and user 0)");
  const [uid, gid] = (fallback ?? (runAsNonRoot === true ? "65534:65534" : ""))
    .split(":")
    .map((each) => (each === "" ? undefined : Number(each)));
  const user = runAsUser ?? uid;
  return user === undefined || Number.isNaN(user)
    ? undefined
    : { uid: user, gid: runAsGroup ?? gid ?? (runAsUser === undefined ? user : 0) };
}

const startError = (word: string, why: string) =>
  `failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: error during container init: exec: "${word}": ${why}`;
