import { CommandError } from "../../command/index.ts";
import { type Blob, MEDIA_TYPES, sha256Digest } from "../blob.ts";
import type { ImageStore } from "../image-store.ts";
import type { ImageReference } from "./reference.ts";
import { createRegistryHttp, resolveLocation } from "./registry-http.ts";

export interface RepositoryOptions {
  /** Use plain HTTP. Default: false. */
  readonly insecure?: boolean | undefined;
  readonly signal: AbortSignal;
}

/** A repository in a registry, accessed with the distribution API. */
export interface Repository extends ImageStore {
  has(kind: "blobs" | "manifests", digest: string): Promise<boolean>;
  /** Uploads a blob. Returns false if it exists or was mounted from another repository. */
  upload(blob: Blob): Promise<boolean>;
  putManifest(manifest: Blob, reference: string): Promise<void>;
}

const MANIFEST_ACCEPT = [MEDIA_TYPES.index, MEDIA_TYPES.manifest, MEDIA_TYPES.dockerIndex, MEDIA_TYPES.dockerManifest].join(", ");

export function openRepository(image: ImageReference, { insecure = false, signal }: RepositoryOptions): Repository {
  const name = `${image.registry}/${image.repository}`;
  const request = createRegistryHttp(image, { insecure, signal });
  const responseError = async (what: string, response: Response): Promise<CommandError> => {
    const advice = response.status === 401 || response.status === 403 ? `. Log in with 'docker login ${image.registry}'` : "";
    return new CommandError("PINTLE7077", `${name}: ${what}: ${response.status} ${errorMessage(await response.text())}${advice}`);
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
      const text = await response.text();
      const digest = sha256Digest(Buffer.from(text));
      if (reference.startsWith("sha256:") && reference !== digest)
        throw new CommandError("PINTLE7075", `${name}@${reference}: the content has digest ${digest}`);
      return { mediaType: response.headers.get("content-type") ?? MEDIA_TYPES.manifest, digest, text };
    },
    blob: (descriptor) => ({
      ...descriptor,
      mountFrom: name,
      async bytes() {
        assertReference(descriptor.digest, name);
        const response = await request({ method: "GET", url: path(`blobs/${descriptor.digest}`) });
        if (!response.ok) throw await responseError(`cannot read ${descriptor.digest}`, response);
        const bytes = new Uint8Array(await response.arrayBuffer());
        if (sha256Digest(bytes) !== descriptor.digest)
          throw new CommandError("PINTLE7075", `${name}: the content of ${descriptor.digest} does not match its digest`);
        return bytes;
      },
    }),
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
        body: await blob.bytes(),
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
    },
  };
}

/** Manifests are written by others: what they reference must not lead to another path of the registry. */
function assertReference(reference: string, name: string): void {
  if (/^(\w[\w.-]{0,127}|sha256:[0-9a-f]{64})$/.test(reference)) return;
  throw new CommandError("PINTLE7075", `${name}: invalid tag or digest ${JSON.stringify(reference.slice(0, 200))}`);
}

function errorMessage(text: string): string {
  try {
    const { errors } = JSON.parse(text) as { readonly errors: readonly { readonly code: string; readonly message: string }[] };
    return errors.map(({ code, message }) => message || code).join(", ");
  } catch {
    return text.slice(0, 200).trim();
  }
}
