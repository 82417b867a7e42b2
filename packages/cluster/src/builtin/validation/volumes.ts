import { quoteGoString } from "pintle/internal/go-format";
import type { DownwardAPIVolumeFile, KeyToPath, ProjectedVolumeSource, Volume } from "pintle/kinds/core/v1";
import { type FieldError, fieldError, validateDnsSubdomain } from "../../status/index.ts";
import type { Unvalidated } from "../draft.ts";
import { nanos } from "../quantities.ts";
import { validateResourceSelector, validateVolumeFieldSelector } from "./env.ts";
import { validateLocalPath, validateNoBacksteps } from "./file-paths.ts";
import { validateAnnotations, validateLabels } from "./labels.ts";
import { validateClaimSpec } from "./persistent-volume-claim.ts";
import { createInvalidErrors, type FieldErrors, validateDnsLabelField, validateEnum, validateRequired } from "./validators.ts";

const HOST_PATH_TYPES = ["", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"];
const INVALID_MODE = "must be a number between 0 and 0777 (octal), both inclusive";

type SourceValidators = {
  readonly [K in Exclude<keyof Volume, "name">]?: (field: string, source: NonNullable<Unvalidated<Volume>[K]>) => FieldErrors;
};

/** Validators of sources that pod volumes and persistent volumes share. */
export const SHARED_SOURCE_VALIDATORS = {
  *hostPath(field, { path, type }) {
    if (!path) return yield fieldError.required(`${field}.path`);
    yield* validateNoBacksteps(`${field}.path`, path);
    yield* validateEnum(`${field}.type`, type, HOST_PATH_TYPES);
  },
  *nfs(field, { server, path }) {
    yield* validateRequired(`${field}.server`, server);
    yield* validateRequired(`${field}.path`, path);
    if (!path?.startsWith("/")) yield fieldError.invalid(`${field}.path`, path ?? "", "must be an absolute path");
  },
} satisfies SourceValidators;

/** Validators of volume sources in the order of kube-apiserver: the first source is validated, further ones are errors. */
const SOURCE_VALIDATORS: SourceValidators = {
  *emptyDir(field, { sizeLimit }) {
    if (sizeLimit != null && nanos(sizeLimit) < 0n) {
      yield fieldError.forbidden(`${field}.sizeLimit`, "SizeLimit field must be a valid resource quantity");
    }
  },
  hostPath: SHARED_SOURCE_VALIDATORS.hostPath,
  *secret(field, { secretName, defaultMode, items }) {
    yield* validateRequired(`${field}.secretName`, secretName);
    yield* validateFileMode(`${field}.defaultMode`, defaultMode);
    yield* validateKeysToPaths(`${field}.items`, items);
  },
  nfs: SHARED_SOURCE_VALIDATORS.nfs,
  *persistentVolumeClaim(field, { claimName }) {
    yield* validateRequired(`${field}.claimName`, claimName);
  },
  *downwardAPI(field, { defaultMode, items }) {
    yield* validateFileMode(`${field}.defaultMode`, defaultMode);
    for (const file of items ?? []) yield* validateDownwardApiFile(field, file);
  },
  *configMap(field, { name, defaultMode, items }) {
    yield* validateRequired(`${field}.name`, name);
    yield* validateFileMode(`${field}.defaultMode`, defaultMode);
    yield* validateKeysToPaths(`${field}.items`, items);
  },
  *projected(field, source) {
    yield* validateFileMode(`${field}.defaultMode`, source.defaultMode);
    yield* validateProjections(field, source);
  },
  *csi(field, { driver, nodePublishSecretRef }) {
    yield* validateCsiDriverName(`${field}.driver`, driver);
    if (nodePublishSecretRef) yield* validateRequired(`${field}.nodePublishSecretRef.name`, nodePublishSecretRef.name);
  },
  *ephemeral(field, { volumeClaimTemplate }) {
    if (!volumeClaimTemplate) return yield fieldError.required(`${field}.volumeClaimTemplate`);
    const at = `${field}.volumeClaimTemplate`;
    yield* validateAnnotations(`${at}.metadata.annotations`, volumeClaimTemplate.metadata?.annotations);
    yield* validateLabels(`${at}.metadata.labels`, volumeClaimTemplate.metadata?.labels);
    yield* validateClaimSpec(`${at}.spec`, volumeClaimTemplate.spec);
  },
  *image(field, { reference, pullPolicy }) {
    yield* validateRequired(`${field}.reference`, reference);
    yield* validateEnum(`${field}.pullPolicy`, pullPolicy, ["Always", "IfNotPresent", "Never"]);
  },
};

/** Validates the volumes of a pod; also returns those that can be mounted. `pod` is the pod's name, if it has one. */
export function validateVolumes(field: string, all: readonly Unvalidated<Volume>[] | null | undefined, pod: string | undefined) {
  const problems: FieldError[] = [];
  const known = new Map<string, Unvalidated<Volume>>();
  for (const [i, volume] of (all ?? []).entries()) {
    const at = `${field}[${i}]`;
    const { name = "" } = volume;
    const own: FieldError[] = [...validateVolumeSource(at, volume, pod)];
    if (!name) own.push(fieldError.required(`${at}.name`));
    else own.push(...validateDnsLabelField(`${at}.name`, name));
    if (known.has(name ?? "")) own.push(fieldError.duplicate(`${at}.name`, name));
    if (own.length === 0) known.set(name ?? "", volume);
    else problems.push(...own);
  }
  return { problems, known };
}

function* validateVolumeSource(field: string, volume: Unvalidated<Volume>, pod: string | undefined): FieldErrors {
  const { name, ...sources } = volume;
  const specified = Object.keys(sources).filter((source) => sources[source as keyof typeof sources] != null);
  const order = Object.keys(SOURCE_VALIDATORS);
  specified.sort((a, b) => order.indexOf(a) - order.indexOf(b));
  for (const [i, source] of specified.entries()) {
    if (i > 0) yield fieldError.forbidden(`${field}.${source}`, "may not specify more than 1 volume type");
    else
      yield* SOURCE_VALIDATORS[source as keyof SourceValidators]?.(
        `${field}.${source}`,
        sources[source as keyof typeof sources] as never,
      ) ?? [];
  }
  if (volume.ephemeral && pod && name) {
    const claim = `${pod}-${name}`;
    for (const problem of validateDnsSubdomain(claim)) {
      yield fieldError.invalid(`${field}.name`, name, `PVC name ${quoteGoString(claim)}: ${problem}`);
    }
  }
}

function* validateFileMode(field: string, value: number | null | undefined): FieldErrors {
  if (value != null && (value < 0 || value > 0o777)) yield fieldError.invalid(field, value, INVALID_MODE);
}

function* validateKeysToPaths(field: string, items: readonly Unvalidated<KeyToPath>[] | null | undefined): FieldErrors {
  for (const [i, item] of (items ?? []).entries()) {
    yield* validateRequired(`${field}[${i}].key`, item.key);
    yield* validateRequired(`${field}[${i}].path`, item.path);
    yield* validateLocalPath(`${field}[${i}].path`, item.path ?? "");
    yield* validateFileMode(`${field}[${i}].mode`, item.mode);
  }
}

function* validateDownwardApiFile(field: string, file: Unvalidated<DownwardAPIVolumeFile>): FieldErrors {
  yield* validateRequired(`${field}.path`, file.path);
  yield* validateLocalPath(`${field}.path`, file.path ?? "");
  if (file.fieldRef) {
    yield* validateVolumeFieldSelector(`${field}.fieldRef`, file.fieldRef);
    if (file.resourceFieldRef) {
      yield fieldError.invalid(field, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously");
    }
  } else if (file.resourceFieldRef) yield* validateResourceSelector(`${field}.resourceFieldRef`, file.resourceFieldRef, true);
  else yield fieldError.required(field, "one of fieldRef and resourceFieldRef is required");
  yield* validateFileMode(`${field}.mode`, file.mode);
}

function* validateProjections(field: string, { sources }: Unvalidated<ProjectedVolumeSource>): FieldErrors {
  const paths = new Set<string>();
  const validateUniquePath = function* (path: string | null | undefined, value: string | null | undefined): FieldErrors {
    if (path && paths.has(path)) yield fieldError.invalid(field, value ?? "", "conflicting duplicate paths");
    if (path) paths.add(path);
  };
  for (const [i, source] of (sources ?? []).entries()) {
    const at = `${field}.sources[${i}]`;
    for (const kind of ["secret", "configMap"] as const) {
      const from = source[kind];
      if (!from) continue;
      yield* validateRequired(`${at}.${kind}.name`, from.name);
      yield* validateKeysToPaths(`${at}.${kind}.items`, from.items);
      for (const { path } of from.items ?? []) yield* validateUniquePath(path, from.name);
    }
    for (const file of source.downwardAPI?.items ?? []) {
      yield* validateDownwardApiFile(`${at}.downwardAPI`, file);
      yield* validateUniquePath(file.path, file.path);
    }
    if (source.serviceAccountToken) {
      const { expirationSeconds = 0, path } = source.serviceAccountToken;
      const expires = `${at}.serviceAccountToken.expirationSeconds`;
      if ((expirationSeconds ?? 0) < 600)
        yield fieldError.invalid(expires, expirationSeconds, "may not specify a duration less than 10 minutes");
      if (!path) yield fieldError.required(`${field}.path`);
      else yield* validateLocalPath(`${field}.path`, path);
    }
    const specified = Object.values(source).filter((each) => each != null);
    if (specified.length > 1) yield fieldError.forbidden(at, "may not specify more than 1 volume type per source");
  }
}

export function* validateCsiDriverName(field: string, name: string | null | undefined): FieldErrors {
  if (!name) return yield fieldError.required(field);
  if (name.length > 63) yield fieldError.tooLong(field, 63);
  yield* createInvalidErrors(field, name, validateDnsSubdomain(name.toLowerCase()));
}
