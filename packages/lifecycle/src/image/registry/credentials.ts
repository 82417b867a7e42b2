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

/** Returns the login that `docker login` stored for a registry: from config.json or from a credential helper. */
export function findRegistryLogin(
  registry: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): RegistryLogin | undefined {
  const file = path.join(env["DOCKER_CONFIG"] ?? path.join(homedir(), ".docker"), "config.json");
  const config = readDockerConfig(file);
  const names = registry === "docker.io" ? ["https://index.docker.io/v1/", "docker.io"] : [registry, `https://${registry}`];
  for (const name of names) {
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
