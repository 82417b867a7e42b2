import { quoteGoString } from "pintle/internal/go-format";
import { trimTrailing } from "pintle/internal/text";
import type { Volume, VolumeProjection } from "pintle/kinds/core/v1";
import type { Unvalidated } from "../draft.ts";

/** Removed volume sources with the text of their deprecation. */
const REMOVED_SOURCES: readonly (readonly [keyof Volume, since: string, displayName?: string])[] = [
  ["photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"],
  ["gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"],
  ["scaleIO", "deprecated in v1.16, non-functional in v1.22+"],
  ["flocker", "deprecated in v1.22, non-functional in v1.25+"],
  ["storageos", "deprecated in v1.22, non-functional in v1.25+", "storageOS"],
  ["quobyte", "deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "deprecated in v1.25, non-functional in v1.26+"],
  ["cephfs", "deprecated in v1.28, non-functional in v1.31+"],
  ["rbd", "deprecated in v1.28, non-functional in v1.31+"],
];

type UnvalidatedVolumes = readonly Unvalidated<Volume>[] | null | undefined;

export function getVolumeWarnings(field: string, volumes: UnvalidatedVolumes): readonly string[] {
  const removed = (volumes ?? []).flatMap((volume, i) =>
    REMOVED_SOURCES.filter(([source]) => volume[source] != null).map(
      ([source, since, displayName = source]) => `${field}[${i}].${displayName}: ${since}`,
    ),
  );
  return [...removed, ...(volumes ?? []).flatMap(findOverlaps)];
}

/** A file that a volume creates. */
interface ProjectedFile {
  readonly path: string;
  readonly source: string;
}

function findOverlaps({ name, configMap, secret, downwardAPI, projected }: Unvalidated<Volume>): readonly string[] {
  const describeOverlap = (what: string) => (text: string) => `volume ${quoteGoString(name ?? "")} (${what}): overlapping paths: ${text}`;
  return [
    ...findCollisions(listFiles(configMap?.items)).map(describeOverlap(`ConfigMap ${quoteGoString(configMap?.name ?? "")}`)),
    ...findCollisions(listFiles(secret?.items)).map(describeOverlap(`Secret ${quoteGoString(secret?.secretName ?? "")}`)),
    ...findCollisions(listFiles(downwardAPI?.items)).map(describeOverlap("DownwardAPI")),
    ...(projected?.sources ?? []).flatMap((source) =>
      Object.values(source).some((each) => each != null) ? [] : [`volume ${quoteGoString(name ?? "")} (Projected) has no sources provided`],
    ),
    ...findCollisions((projected?.sources ?? []).flatMap(listProjectedFiles)).map(describeOverlap("Projected")),
  ];
}

type KeyToPathItems = readonly { readonly path?: string | null | undefined }[] | null | undefined;

const listFiles = (items: KeyToPathItems, source = ""): readonly ProjectedFile[] =>
  (items ?? []).map(({ path }) => ({ path: path ?? "", source }));

function listProjectedFiles({
  configMap,
  secret,
  downwardAPI,
  serviceAccountToken,
}: Unvalidated<VolumeProjection>): readonly ProjectedFile[] {
  if (configMap?.items) return listFiles(configMap.items, `ConfigMap ${quoteGoString(configMap.name ?? "")}`);
  if (secret?.items) return listFiles(secret.items, `Secret ${quoteGoString(secret.name ?? "")}`);
  if (downwardAPI?.items) return listFiles(downwardAPI.items, "DownwardAPI");
  return serviceAccountToken ? listFiles([serviceAccountToken], "ServiceAccountToken") : [];
}

/** Returns the pairs of files with the same path, or where one path is a directory of the other. */
function findCollisions(files: readonly ProjectedFile[]): readonly string[] {
  const all = files.map(({ path, source }) => ({ path: trimTrailing(path, "/"), source }));
  const isIn = (inner: ProjectedFile, outer: ProjectedFile) => `${inner.path}/`.startsWith(`${outer.path}/`);
  const text = ({ path, source }: ProjectedFile) => (source === "" ? quoteGoString(path) : `${quoteGoString(path)} (${source})`);
  return all.flatMap((one, i) =>
    all
      .slice(0, i)
      .filter((other) => one.path !== "" && other.path !== "" && (isIn(one, other) || isIn(other, one)))
      .map((other) => `${text(one)} with ${text(other)}`),
  );
}
