import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { PintleError } from "pintle/internal/errors";

/** A user of a registry. */
export interface RegistryLogin {
  readonly username: string;
  readonly password: string;
}

interface DockerConfig {
  readonly auths?: Readonly<Record<string, { readonly auth?: string; readonly identitytoken?: string }>>;
  readonly credHelpers?: Readonly<Record<string, string>>;
  readonly credsStore?: string;
}

/** Environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the login for a registry that `docker login`, `podman login` or `skopeo login` stored: from a file, whose entries may be for a part of the
 * repository's path, or from a credential helper. REGISTRY_AUTH_FILE names the only file to read.
 */
export function findRegistryLogin(registry: string, repository = "", env: Environment = process.env): RegistryLogin | undefined {
  for (const file of listAuthFiles(env)) {
    const login = findLoginIn(file, registry, repository);
    if (login !== undefined) return login;
  }
  return undefined;
}

function listAuthFiles(env: Environment): readonly string[] {
  const only = env["REGISTRY_AUTH_FILE"];
  if (only !== undefined && only !== "") return [only];
  const runtime = env["XDG_RUNTIME_DIR"];
  const config = env["XDG_CONFIG_HOME"] || path.join(homedir(), ".config");
  return [
    path.join(env["DOCKER_CONFIG"] ?? path.join(homedir(), ".docker"), "config.json"),
    ...(runtime === undefined || runtime === "" ? [] : [path.join(runtime, "containers/auth.json")]),
    path.join(config, "containers/auth.json"),
  ];
}

function findLoginIn(file: string, registry: string, repository: string): RegistryLogin | undefined {
  const config = readDockerConfig(file);
  const names = registry === "docker.io" ? ["https://index.docker.io/v1/", "docker.io"] : [registry, `https://${registry}`];
  // The longest path first, as Podman does.
  const parts = repository.split("/").filter((part) => part !== "");
  const paths = parts.map((_, i) => [registry, ...parts.slice(0, parts.length - i)].join("/"));
  for (const name of [...paths, ...names]) {
    const helper = config.credHelpers?.[name];
    if (helper !== undefined) return runCredentialHelper(helper, name);
    const auth = config.auths?.[name]?.auth;
    if (auth !== undefined && auth !== "") return decodeAuth(auth, file, name);
  }
  return config.credsStore === undefined ? undefined : runCredentialHelper(config.credsStore, names[0]!);
}

function readDockerConfig(file: string): DockerConfig {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return {};
  }
  try {
    return JSON.parse(text) as DockerConfig;
  } catch (error) {
    throw new PintleError("PINTLE7079", `${file} is not valid JSON: ${(error as Error).message}`);
  }
}

function decodeAuth(auth: string, file: string, name: string): RegistryLogin {
  const [username, ...password] = Buffer.from(auth, "base64").toString().split(":");
  if (username === undefined || password.length === 0)
    throw new PintleError("PINTLE7079", `invalid auth entry for ${name} in ${file}: run 'docker login ${name}' again`);
  return { username, password: password.join(":") };
}

/** Returns undefined if the helper has no login for the registry. */
function runCredentialHelper(helper: string, registry: string): RegistryLogin | undefined {
  try {
    const answer = execFileSync(`docker-credential-${helper}`, ["get"], {
      input: registry,
      encoding: "utf8",
      stdio: ["pipe", "pipe", "pipe"],
    });
    const { Username, Secret } = JSON.parse(answer) as { Username: string; Secret: string };
    return { username: Username, password: Secret };
  } catch (error) {
    const { code, stdout } = error as NodeJS.ErrnoException & { readonly stdout?: string };
    if (code === "ENOENT")
      throw new PintleError("PINTLE7080", `docker-credential-${helper}, which stores the login for ${registry}, is not on the PATH`);
    if (/credentials not found/.test(String(stdout))) return undefined;
    throw new PintleError(
      "PINTLE7080",
      `docker-credential-${helper} failed for ${registry}: ${String(stdout ?? (error as Error).message).trim()}`,
    );
  }
}
