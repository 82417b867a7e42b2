import { PintleError } from "pintle/internal/errors";
import { type Blob, createStreamedBlob, type Descriptor, MEDIA_TYPES, sha256Digest } from "../blob.ts";
import type { ImageStore } from "../image-store.ts";
import { MAX_MANIFEST_BYTES, parseImageIndex, readMediaType } from "../manifests.ts";
import { adviseOnLogin } from "./authorize.ts";
import { findRegistryLogin, type RegistryLogin } from "./credentials.ts";
import { readText } from "./read-text.ts";
import type { ImageReference } from "./reference.ts";
import { createRegistryHttp, resolveLocation } from "./registry-http.ts";

export interface RepositoryOptions {
  /** Use plain HTTP. Default: false. */
  readonly insecure?: boolean | undefined;
  readonly signal: AbortSignal;
  /** Finds the login for a repository. Default: what `docker login` or `podman login` stored. */
  readonly findLogin?: ((registry: string, repository?: string) => RegistryLogin | undefined) | undefined;
}

/** A repository in a registry, accessed with the distribution API. */
export interface Repository extends ImageStore {
  has(kind: "blobs" | "manifests", digest: string): Promise<boolean>;
  /** Uploads a blob. Returns false if it exists or was mounted from another repository. */
  upload(blob: Blob): Promise<boolean>;
  /** Returns whether the registry lists a manifest with a subject among the referrers of the subject. */
  putManifest(manifest: Blob, reference: string): Promise<{ readonly hasReferrersApi: boolean }>;
  /** Lists the manifests whose subject has this digest; undefined if the registry has no API for that. */
  referrers(digest: string): Promise<readonly Descriptor[] | undefined>;
  /** Lists the tags. */
  tags(): Promise<readonly string[]>;
}

const MANIFEST_ACCEPT = [MEDIA_TYPES.index, MEDIA_TYPES.manifest, MEDIA_TYPES.dockerIndex, MEDIA_TYPES.dockerManifest].join(", ");

export function openRepository(image: ImageReference, options: RepositoryOptions): Repository {
  const { insecure = false, signal, findLogin = findRegistryLogin } = options;
  const name = `${image.registry}/${image.repository}`;
  const request = createRegistryHttp(image, { insecure, signal, findLogin });
  const responseError = async (what: string, response: Response): Promise<PintleError> => {
    const isRefused = response.status === 401 || response.status === 403;
    const message = errorMessage(await readText(response, MAX_MANIFEST_BYTES, name)) || response.statusText;
    const advice = isRefused ? `. ${adviseOnLogin(image, findLogin)}` : "";
    return new PintleError("PINTLE7077", `${name}: ${what}: ${`${response.status} ${message}`.trim()}${advice}`);
  };
  const path = (rest: string) => `/v2/${image.repository}/${rest}`;
  const has: Repository["has"] = async (kind, digest) => {
    const response = await request({
      method: "HEAD",
      url: path(`${kind}/${digest}`),
      headers: kind === "manifests" ? { accept: MANIFEST_ACCEPT } : {},
    });
    if (response.ok || response.status === 404) return response.ok;
    throw await responseError("cannot check for existing content", response);
  };
  return {
    name,
    has,
    async manifest(reference) {
      assertReference(reference, name);
      const response = await request({ method: "GET", url: path(`manifests/${reference}`), headers: { accept: MANIFEST_ACCEPT } });
      if (!response.ok) throw await responseError(`cannot read ${reference}`, response);
      const text = await readText(response, MAX_MANIFEST_BYTES, `${name}: ${reference}`);
      const digest = sha256Digest(Buffer.from(text));
      if (reference.startsWith("sha256:") && reference !== digest)
        throw new PintleError("PINTLE7075", `${name}@${reference}: the content has digest ${digest}`);
      const type = response.headers.get("content-type")?.split(";")[0]?.trim();
      return { mediaType: isManifestType(type) ? type : readMediaType(text, `${name}: ${reference}`), digest, text };
    },
    blob(descriptor) {
      const blob = createStreamedBlob(descriptor, name, async function* () {
        assertReference(descriptor.digest, name);
        const response = await request({ method: "GET", url: path(`blobs/${descriptor.digest}`) });
        if (!response.ok) throw await responseError(`cannot read ${descriptor.digest}`, response);
        if (response.body !== null) yield* response.body as AsyncIterable<Uint8Array>;
      });
      return { ...descriptor, ...blob, mountFrom: name };
    },
    async tags() {
      const response = await request({ method: "GET", url: path("tags/list") });
      if (!response.ok) throw await responseError("cannot list the tags", response);
      const { tags } = JSON.parse(await readText(response, MAX_MANIFEST_BYTES, name)) as { readonly tags?: readonly string[] | null };
      return tags ?? [];
    },
    async upload(blob) {
      if (await has("blobs", blob.digest)) return false;
      const [registry, ...from] = blob.mountFrom?.split("/") ?? [];
      const mount = registry === image.registry ? `?mount=${blob.digest}&from=${encodeURIComponent(from.join("/"))}` : "";
      const started = await request({ method: "POST", url: path(`blobs/uploads/${mount}`) });
      if (started.status === 201) return false;
      const location = started.headers.get("location");
      if (started.status !== 202 || location === null) throw await responseError("cannot start an upload", started);
      const target = resolveLocation(location, new URL(started.url), image);
      target.searchParams.set("digest", blob.digest);
      const stored = await request({
        method: "PUT",
        url: target.href,
        body: blob.size > MAX_BUFFERED_UPLOAD ? { size: blob.size, chunks: () => blob.chunks() } : await blob.bytes(),
        headers: { "content-type": "application/octet-stream" },
      });
      if (stored.status !== 201) throw await responseError(`cannot upload ${blob.digest}`, stored);
      return true;
    },
    async putManifest(manifest, reference) {
      const body = await manifest.bytes();
      const response = await request({
        method: "PUT",
        url: path(`manifests/${reference}`),
        body,
        headers: { "content-type": manifest.mediaType },
      });
      if (response.status !== 201) throw await responseError(`cannot upload manifest ${reference}`, response);
      return { hasReferrersApi: response.headers.has("oci-subject") };
    },
    async referrers(digest) {
      assertReference(digest, name);
      const response = await request({ method: "GET", url: path(`referrers/${digest}`), headers: { accept: MEDIA_TYPES.index } });
      const type = response.headers.get("content-type")?.split(";")[0]?.trim();
      if (response.status === 404 || (response.ok && type !== MEDIA_TYPES.index)) {
        await response.body?.cancel();
        return undefined;
      }
      if (!response.ok) throw await responseError("cannot list referrers", response);
      return parseImageIndex(await readText(response, MAX_MANIFEST_BYTES, name), `${name}: referrers`);
    },
  };
}

/** Larger blobs are sent piece by piece. */
const MAX_BUFFERED_UPLOAD = 1 << 20;

const isManifestType = (type: string | undefined): type is string => MANIFEST_ACCEPT.split(", ").includes(type ?? "");

/** Manifests are written by others: what they reference must not lead to another path of the registry. */
function assertReference(reference: string, name: string): void {
  if (/^(\w[\w.-]{0,127}|sha256:[0-9a-f]{64})$/.test(reference)) return;
  throw new PintleError("PINTLE7075", `${name}: invalid tag or digest ${JSON.stringify(reference.slice(0, 200))}`);
}

function errorMessage(text: string): string {
  try {
    const { errors } = JSON.parse(text) as { readonly errors: readonly { readonly code: string; readonly message: string }[] };
    return errors.map(({ code, message }) => message || code).join(", ");
  } catch {
    return text.slice(0, 200).trim();
  }
}
