import { readFileSync } from "node:fs";
import path from "node:path";
import { createTransport, loadClusterAccess, type Transport } from "pintle/client";
import type { EventRateLimit, ImagePolicyOptions } from "../../builtin/index.ts";
import type { ClusterAdmissionOptions } from "../../cluster/index.ts";
import { decodeYaml } from "../../codec/index.ts";
import { SettingsError } from "./server-settings.ts";

/** A file of --admission-control-config-file: the configuration of each plugin, or the path of a file with it. */
interface AdmissionConfiguration {
  readonly plugins?: readonly { readonly name?: string; readonly path?: string; readonly configuration?: unknown }[] | undefined;
}

interface ImagePolicyFile {
  readonly kubeConfigFile?: string | undefined;
  readonly allowTTL?: number | undefined;
  readonly denyTTL?: number | undefined;
  readonly retryBackoff?: number | undefined;
  readonly defaultAllow?: boolean | undefined;
}

const LIMIT_TYPES = ["Namespace", "Server", "SourceAndObject", "User"];

/** Reads the configuration of the plugins that need one. Throws SettingsError with the messages of kube-apiserver. */
export async function readAdmissionConfiguration(file: string): Promise<Pick<ClusterAdmissionOptions, "eventRateLimits" | "imagePolicy">> {
  if (file === "") return {};
  const folder = path.dirname(file);
  const configured = new Map<string, unknown>();
  for (const { name = "", path: at, configuration } of (((await readYaml(file)) ?? {}) as AdmissionConfiguration).plugins ?? []) {
    configured.set(name, configuration ?? (at === undefined ? undefined : await readYaml(path.resolve(folder, at))));
  }
  const limits = configured.get("EventRateLimit") as { readonly limits?: readonly EventRateLimit[] } | undefined;
  const images = configured.get("ImagePolicyWebhook") as { readonly imagePolicy?: ImagePolicyFile } | undefined;
  return {
    ...(limits === undefined ? {} : { eventRateLimits: checkLimits(limits.limits ?? []) }),
    ...(images?.imagePolicy === undefined ? {} : { imagePolicy: createImagePolicy(images.imagePolicy, folder) }),
  };
}

async function readYaml(file: string): Promise<unknown> {
  try {
    return (await decodeYaml(readFileSync(file, "utf8"))).value;
  } catch (error) {
    throw new SettingsError([
      `failed to read plugin config: unable to read admission control configuration from ${JSON.stringify(file)} [${error}]`,
    ]);
  }
}

function checkLimits(limits: readonly EventRateLimit[]): readonly EventRateLimit[] {
  const problems = limits.flatMap(({ type, burst, qps, cacheSize = 0 }, i) => [
    ...(LIMIT_TYPES.includes(type)
      ? []
      : [
          `limits[${i}].type: Unsupported value: ${JSON.stringify(type ?? "")}: supported values: ${LIMIT_TYPES.map((each) => JSON.stringify(each)).join(", ")}`,
        ]),
    ...(burst > 0 ? [] : [`limits[${i}].burst: Invalid value: ${burst ?? 0}: must be positive`]),
    ...(qps > 0 ? [] : [`limits[${i}].qps: Invalid value: ${qps ?? 0}: must be positive`]),
    ...(type !== "Server" && cacheSize < 0 ? [`limits[${i}].cacheSize: Invalid value: ${cacheSize}: must not be negative`] : []),
  ]);
  if (limits.length === 0) problems.push("limits: Invalid value: null: must not be empty");
  if (problems.length === 0) return limits;
  const text = problems.length === 1 ? problems[0] : `[${problems.join(", ")}]`;
  throw new SettingsError([`failed to apply admission: couldn't init admission plugin "EventRateLimit": ${text}`]);
}

const MINUTE = 60_000;

function createImagePolicy(file: ImagePolicyFile, folder: string): ImagePolicyOptions {
  const kubeconfig = path.resolve(folder, file.kubeConfigFile ?? "");
  let transport: Promise<Transport> | undefined;
  return {
    async postReview(body, signal) {
      transport ??= loadClusterAccess({ kubeconfig }).then(createTransport);
      const response = await (await transport).request({ method: "POST", path: "", body, signal });
      const value = await response.json();
      if (response.status >= 200 && response.status < 300) return value;
      throw new Error(`Error contacting webhook: ${response.status}`);
    },
    allowTtl: readDuration(file.allowTTL, 1000, 5 * MINUTE),
    denyTtl: readDuration(file.denyTTL, 1000, MINUTE / 2),
    retryBackoff: readDuration(file.retryBackoff, 1, 500),
    defaultAllow: file.defaultAllow === true,
  };
}

/** Returns milliseconds: 0 means the default, -1 none. */
function readDuration(value: number | undefined, unit: number, fallback: number): number {
  if (value === undefined || value === 0) return fallback;
  return value === -1 ? 0 : value * unit;
}
