import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import type { Json, JsonObject } from "pintle/kinds";
import { CommandError, type Io } from "../../command/index.ts";
import { parseYaml } from "../../manifests/index.ts";
import { describeProject, findProject } from "../../project/index.ts";
import { readBundleArgument } from "../image/bundle-argument.ts";
import { renderForOlm } from "../image/bundle-findings.ts";

const MANIFESTS = /\.(ya?ml|json)$/;
/** The namespace of a rendered bundle; no CRD depends on it but through the address of its conversion webhook. */
const NAMESPACE = "default";

/** Reads CustomResourceDefinitions from a file, a folder of files, a bundle, or the project if there is no argument. */
export async function readDefinitions(
  argument: string | undefined,
  values: Readonly<Record<string, string | boolean | undefined>>,
  io: Io,
): Promise<readonly JsonObject[]> {
  const found = argument === undefined ? await readProject(io) : await readArgument(argument, values, io);
  const definitions = found.filter(isDefinition);
  if (definitions.length > 0) return definitions;
  throw new CommandError("PINTLE7120", `${argument ?? "the project"} has no CustomResourceDefinition`);
}

async function readProject(io: Io): Promise<readonly JsonObject[]> {
  const { resources } = await describeProject(await findProject(io.cwd), undefined, io.signal);
  return resources.map(({ crd }) => crd as unknown as JsonObject);
}

async function readArgument(argument: string, values: Readonly<Record<string, string | boolean | undefined>>, io: Io) {
  const place = path.resolve(io.cwd, argument);
  const isBundle = !existsSync(place) || existsSync(path.join(place, "manifests")) || existsSync(path.join(place, "oci-layout"));
  if (!existsSync(place) && MANIFESTS.test(argument)) throw new CommandError("PINTLE7062", `cannot read ${argument}: ENOENT`);
  if (isBundle) return renderForOlm(NAMESPACE, await readBundleArgument(argument, values, io));
  if (!statSync(place).isDirectory()) return readManifests(place, argument);
  const files = readdirSync(place).filter((name) => MANIFESTS.test(name));
  return files.sort().flatMap((name) => readManifests(path.join(place, name), path.join(argument, name)));
}

function readManifests(file: string, shown: string): readonly JsonObject[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new CommandError("PINTLE7062", `cannot read ${shown}: ${(error as NodeJS.ErrnoException).code}`);
  }
  return (parseYaml(text, shown) as readonly JsonObject[]).flatMap((object) =>
    object["kind"] === "List" ? ((object["items"] ?? []) as readonly JsonObject[]) : [object],
  );
}

function isDefinition(object: Json): object is JsonObject {
  const { apiVersion, kind, spec, metadata } = (object ?? {}) as Readonly<Record<string, Json | undefined>>;
  const isNamed = typeof (metadata as JsonObject | undefined)?.["name"] === "string";
  return apiVersion === "apiextensions.k8s.io/v1" && kind === "CustomResourceDefinition" && isNamed && typeof spec === "object";
}
