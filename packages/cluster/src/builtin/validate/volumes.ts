import type { DownwardAPIVolumeFile, KeyToPath, ProjectedVolumeSource, Volume } from "pintle/kinds/core/v1";
import { dnsSubdomainProblems, type FieldError, fieldError, goQuote } from "../../status/index.ts";
import type { Loose } from "../draft.ts";
import { nanos } from "../text/quantities.ts";
import { claimSpec } from "./claim.ts";
import { resourceSelector, volumeFieldSelector } from "./env.ts";
import { annotations, labels } from "./labels.ts";
import { localPath, noBacksteps } from "./paths.ts";
import { dnsLabel, invalidFor, maybeOneOf, type Problems, required } from "./problems.ts";

const HOST_PATHS = ["", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"];
const MODE = "must be a number between 0 and 0777 (octal), both inclusive";

type Sources = { readonly [K in Exclude<keyof Volume, "name">]?: (field: string, source: NonNullable<Loose<Volume>[K]>) => Problems };

/** Sources that volumes of pods and of the cluster have alike. */
export const SHARED_SOURCES = {
  *hostPath(field, { path, type }) {
    if (!path) return yield fieldError.required(`${field}.path`);
    yield* noBacksteps(`${field}.path`, path);
    yield* maybeOneOf(`${field}.type`, type, HOST_PATHS);
  },
  *nfs(field, { server, path }) {
    yield* required(`${field}.server`, server);
    yield* required(`${field}.path`, path);
    if (!path?.startsWith("/")) yield fieldError.invalid(`${field}.path`, path ?? "", "must be an absolute path");
  },
} satisfies Sources;

/** In the order the server looks at them: the first that is given counts, others are too many. */
const SOURCES: Sources = {
  *emptyDir(field, { sizeLimit }) {
    if (sizeLimit != null && nanos(sizeLimit) < 0n) {
      yield fieldError.forbidden(`${field}.sizeLimit`, "SizeLimit field must be a valid resource quantity");
    }
  },
  hostPath: SHARED_SOURCES.hostPath,
  *secret(field, { secretName, defaultMode, items }) {
    yield* required(`${field}.secretName`, secretName);
    yield* mode(`${field}.defaultMode`, defaultMode);
    yield* keysToPaths(`${field}.items`, items);
  },
  nfs: SHARED_SOURCES.nfs,
  *persistentVolumeClaim(field, { claimName }) {
    yield* required(`${field}.claimName`, claimName);
  },
  *downwardAPI(field, { defaultMode, items }) {
    yield* mode(`${field}.defaultMode`, defaultMode);
    for (const file of items ?? []) yield* downwardFile(field, file);
  },
  *configMap(field, { name, defaultMode, items }) {
    yield* required(`${field}.name`, name);
    yield* mode(`${field}.defaultMode`, defaultMode);
    yield* keysToPaths(`${field}.items`, items);
  },
  *projected(field, source) {
    yield* mode(`${field}.defaultMode`, source.defaultMode);
    yield* projections(field, source);
  },
  *csi(field, { driver, nodePublishSecretRef }) {
    yield* csiDriverName(`${field}.driver`, driver);
    if (nodePublishSecretRef) yield* required(`${field}.nodePublishSecretRef.name`, nodePublishSecretRef.name);
  },
  *ephemeral(field, { volumeClaimTemplate }) {
    if (!volumeClaimTemplate) return yield fieldError.required(`${field}.volumeClaimTemplate`);
    const at = `${field}.volumeClaimTemplate`;
    yield* annotations(`${at}.metadata.annotations`, volumeClaimTemplate.metadata?.annotations);
    yield* labels(`${at}.metadata.labels`, volumeClaimTemplate.metadata?.labels);
    yield* claimSpec(`${at}.spec`, volumeClaimTemplate.spec);
  },
  *image(field, { reference, pullPolicy }) {
    yield* required(`${field}.reference`, reference);
    yield* maybeOneOf(`${field}.pullPolicy`, pullPolicy, ["Always", "IfNotPresent", "Never"]);
  },
};

/** Volumes of a pod, and the names of those that can be mounted. `pod` is its name, where there is one. */
export function volumes(field: string, all: readonly Loose<Volume>[] | null | undefined, pod: string | undefined) {
  const problems: FieldError[] = [];
  const known = new Map<string, Loose<Volume>>();
  for (const [i, volume] of (all ?? []).entries()) {
    const at = `${field}[${i}]`;
    const { name = "" } = volume;
    const own: FieldError[] = [...sourceOf(at, volume, pod)];
    if (!name) own.push(fieldError.required(`${at}.name`));
    else own.push(...dnsLabel(`${at}.name`, name));
    if (known.has(name ?? "")) own.push(fieldError.duplicate(`${at}.name`, name));
    if (own.length === 0) known.set(name ?? "", volume);
    else problems.push(...own);
  }
  return { problems, known };
}

function* sourceOf(field: string, volume: Loose<Volume>, pod: string | undefined): Problems {
  const { name, ...sources } = volume;
  const given = Object.keys(sources).filter((source) => sources[source as keyof typeof sources] != null);
  const order = Object.keys(SOURCES);
  given.sort((a, b) => order.indexOf(a) - order.indexOf(b));
  for (const [i, source] of given.entries()) {
    if (i > 0) yield fieldError.forbidden(`${field}.${source}`, "may not specify more than 1 volume type");
    else yield* SOURCES[source as keyof Sources]?.(`${field}.${source}`, sources[source as keyof typeof sources] as never) ?? [];
  }
  if (volume.ephemeral && pod && name) {
    const claim = `${pod}-${name}`;
    for (const problem of dnsSubdomainProblems(claim)) {
      yield fieldError.invalid(`${field}.name`, name, `PVC name ${goQuote(claim)}: ${problem}`);
    }
  }
}

function* mode(field: string, value: number | null | undefined): Problems {
  if (value != null && (value < 0 || value > 0o777)) yield fieldError.invalid(field, value, MODE);
}

function* keysToPaths(field: string, items: readonly Loose<KeyToPath>[] | null | undefined): Problems {
  for (const [i, item] of (items ?? []).entries()) {
    yield* required(`${field}[${i}].key`, item.key);
    yield* required(`${field}[${i}].path`, item.path);
    yield* localPath(`${field}[${i}].path`, item.path ?? "");
    yield* mode(`${field}[${i}].mode`, item.mode);
  }
}

function* downwardFile(field: string, file: Loose<DownwardAPIVolumeFile>): Problems {
  yield* required(`${field}.path`, file.path);
  yield* localPath(`${field}.path`, file.path ?? "");
  if (file.fieldRef) {
    yield* volumeFieldSelector(`${field}.fieldRef`, file.fieldRef);
    if (file.resourceFieldRef) {
      yield fieldError.invalid(field, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously");
    }
  } else if (file.resourceFieldRef) yield* resourceSelector(`${field}.resourceFieldRef`, file.resourceFieldRef, true);
  else yield fieldError.required(field, "one of fieldRef and resourceFieldRef is required");
  yield* mode(`${field}.mode`, file.mode);
}

function* projections(field: string, { sources }: Loose<ProjectedVolumeSource>): Problems {
  const paths = new Set<string>();
  const taken = function* (path: string | null | undefined, shown: string | null | undefined): Problems {
    if (path && paths.has(path)) yield fieldError.invalid(field, shown ?? "", "conflicting duplicate paths");
    if (path) paths.add(path);
  };
  for (const [i, source] of (sources ?? []).entries()) {
    const at = `${field}.sources[${i}]`;
    for (const kind of ["secret", "configMap"] as const) {
      const from = source[kind];
      if (!from) continue;
      yield* required(`${at}.${kind}.name`, from.name);
      yield* keysToPaths(`${at}.${kind}.items`, from.items);
      for (const { path } of from.items ?? []) yield* taken(path, from.name);
    }
    for (const file of source.downwardAPI?.items ?? []) {
      yield* downwardFile(`${at}.downwardAPI`, file);
      yield* taken(file.path, file.path);
    }
    if (source.serviceAccountToken) {
      const { expirationSeconds = 0, path } = source.serviceAccountToken;
      const expires = `${at}.serviceAccountToken.expirationSeconds`;
      if ((expirationSeconds ?? 0) < 600)
        yield fieldError.invalid(expires, expirationSeconds, "may not specify a duration less than 10 minutes");
      if (!path) yield fieldError.required(`${field}.path`);
      else yield* localPath(`${field}.path`, path);
    }
    const given = Object.values(source).filter((each) => each != null);
    if (given.length > 1) yield fieldError.forbidden(at, "may not specify more than 1 volume type per source");
  }
}

export function* csiDriverName(field: string, name: string | null | undefined): Problems {
  if (!name) return yield fieldError.required(field);
  if (name.length > 63) yield fieldError.tooLong(field, 63);
  yield* invalidFor(field, name, dnsSubdomainProblems(name.toLowerCase()));
}
