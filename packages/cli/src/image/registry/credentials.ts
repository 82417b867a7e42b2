import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { CommandError } from "../../command.ts";

export interface Login {
  readonly username: string;
  readonly password: string;
}

interface DockerConfig {
  readonly auths?: Readonly<Record<string, { readonly auth?: string; readonly identitytoken?: string }>>;
  readonly credHelpers?: Readonly<Record<string, string>>;
  readonly credsStore?: string;
}

/** The login that `docker login` left for a registry: from its file, or from the helper that it names. */
export function loginFor(registry: string, env: Readonly<Record<string, string | undefined>> = process.env): Login | undefined {
  const file = path.join(env["DOCKER_CONFIG"] ?? path.join(homedir(), ".docker"), "config.json");
  const config = read(file);
  const names = registry === "docker.io" ? ["https://index.docker.io/v1/", "docker.io"] : [registry, `https://${registry}`];
  for (const name of names) {
    const helper = config.credHelpers?.[name];
    if (helper !== undefined) return ask(helper, name);
    const auth = config.auths?.[name]?.auth;
    if (auth !== undefined && auth !== "") return decode(auth, file, name);
  }
  return config.credsStore === undefined ? undefined : ask(config.credsStore, names[0]!);
}

function read(file: string): DockerConfig {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return {};
  }
  try {
    return JSON.parse(text) as DockerConfig;
  } catch (error) {
    throw new CommandError(`pintle: ${file} is not JSON: ${(error as Error).message}`);
  }
}

function decode(auth: string, file: string, name: string): Login {
  const [username, ...password] = Buffer.from(auth, "base64").toString().split(":");
  if (username === undefined || password.length === 0)
    throw new CommandError(`pintle: the login for ${name} in ${file} cannot be read: log in again`);
  return { username, password: password.join(":") };
}

/** Undefined when the helper knows no login. */
function ask(helper: string, registry: string): Login | undefined {
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
      throw new CommandError(`pintle: docker-credential-${helper}, which keeps the login for ${registry}, is not on the PATH`);
    if (/credentials not found/.test(String(stdout))) return undefined;
    throw new CommandError(
      `pintle: docker-credential-${helper} failed for ${registry}: ${String(stdout ?? (error as Error).message).trim()}`,
    );
  }
}
