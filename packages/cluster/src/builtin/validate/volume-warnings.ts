import type { Volume, VolumeProjection } from "pintle/kinds/core/v1";
import { goQuote } from "../../status/index.ts";
import type { Loose } from "../draft.ts";

/** Sources that nothing serves any more, and since when. */
const GONE: readonly (readonly [keyof Volume, since: string, shown?: string])[] = [
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

type Volumes = readonly Loose<Volume>[] | null | undefined;

export function volumeWarnings(field: string, volumes: Volumes): readonly string[] {
  const gone = (volumes ?? []).flatMap((volume, i) =>
    GONE.filter(([source]) => volume[source] != null).map(([source, since, shown = source]) => `${field}[${i}].${shown}: ${since}`),
  );
  return [...gone, ...(volumes ?? []).flatMap(overlaps)];
}

/** A file that a volume makes. */
interface Made {
  readonly path: string;
  readonly source: string;
}

function overlaps({ name, configMap, secret, downwardAPI, projected }: Loose<Volume>): readonly string[] {
  const shown = (what: string) => (text: string) => `volume ${goQuote(name ?? "")} (${what}): overlapping paths: ${text}`;
  return [
    ...collisions(files(configMap?.items)).map(shown(`ConfigMap ${goQuote(configMap?.name ?? "")}`)),
    ...collisions(files(secret?.items)).map(shown(`Secret ${goQuote(secret?.secretName ?? "")}`)),
    ...collisions(files(downwardAPI?.items)).map(shown("DownwardAPI")),
    ...(projected?.sources ?? []).flatMap((source) =>
      Object.values(source).some((each) => each != null) ? [] : [`volume ${goQuote(name ?? "")} (Projected) has no sources provided`],
    ),
    ...collisions((projected?.sources ?? []).flatMap(projectedFiles)).map(shown("Projected")),
  ];
}

type Items = readonly { readonly path?: string | null | undefined }[] | null | undefined;

const files = (items: Items, source = ""): readonly Made[] => (items ?? []).map(({ path }) => ({ path: path ?? "", source }));

function projectedFiles({ configMap, secret, downwardAPI, serviceAccountToken }: Loose<VolumeProjection>): readonly Made[] {
  if (configMap?.items) return files(configMap.items, `ConfigMap ${goQuote(configMap.name ?? "")}`);
  if (secret?.items) return files(secret.items, `Secret ${goQuote(secret.name ?? "")}`);
  if (downwardAPI?.items) return files(downwardAPI.items, "DownwardAPI");
  return serviceAccountToken ? files([serviceAccountToken], "ServiceAccountToken") : [];
}

/** Files that are the same, or of which one would have to be the directory of the other. */
function collisions(made: readonly Made[]): readonly string[] {
  const all = made.map(({ path, source }) => ({ path: path.replace(/\/+$/, ""), source }));
  const isIn = (inner: Made, outer: Made) => `${inner.path}/`.startsWith(`${outer.path}/`);
  const text = ({ path, source }: Made) => (source === "" ? goQuote(path) : `${goQuote(path)} (${source})`);
  return all.flatMap((one, i) =>
    all
      .slice(0, i)
      .filter((other) => one.path !== "" && other.path !== "" && (isIn(one, other) || isIn(other, one)))
      .map((other) => `${text(one)} with ${text(other)}`),
  );
}
