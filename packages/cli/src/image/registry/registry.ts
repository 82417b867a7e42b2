import { CommandError } from "../../command.ts";
import { type Blob, digestOf, MEDIA } from "../blob.ts";
import type { Images } from "../stored-base.ts";
import { loginFor } from "./credentials.ts";
import { hostOf, type Reference } from "./reference.ts";

export interface RegistryOptions {
  /** Plain HTTP. */
  readonly insecure?: boolean | undefined;
  readonly signal: AbortSignal;
}

/** A repository in a registry, by the distribution API. */
export interface Repository extends Images {
  has(kind: "blobs" | "manifests", digest: string): Promise<boolean>;
  /** False when it was there, or could be taken from another repository of the registry. */
  upload(blob: Blob): Promise<boolean>;
  putManifest(manifest: Blob, reference: string): Promise<void>;
}

const MANIFESTS = [MEDIA.index, MEDIA.manifest, MEDIA.dockerIndex, MEDIA.dockerManifest].join(", ");

export function repository(at: Reference, { insecure, signal }: RegistryOptions): Repository {
  const base = `${insecure ? "http" : "https"}://${hostOf(at)}`;
  const name = `${at.registry}/${at.repository}`;
  let authorization: string | undefined;

  const call = async (
    method: string,
    url: string,
    options: { body?: Uint8Array; headers?: Record<string, string> } = {},
  ): Promise<Response> => {
    const send = () =>
      fetch(new URL(url, base), {
        method,
        signal,
        headers: { ...options.headers, ...(authorization === undefined ? {} : { authorization }) },
        ...(options.body === undefined ? {} : { body: options.body as Uint8Array<ArrayBuffer> }),
      }).catch((error: Error & { cause?: Error }) => {
        signal.throwIfAborted();
        throw new CommandError(
          `pintle: ${at.registry} does not answer: ${(error.cause?.message ?? error.message).replace(/\s+/g, " ").trim()}${isUnknown(error) ? ". Is the name right?" : insecure ? "" : ". If it speaks plain HTTP, say --insecure-registry"}`,
        );
      });
    const answer = await send();
    if (answer.status !== 401) return answer;
    authorization = await authorize(answer.headers.get("www-authenticate") ?? "", at, signal);
    return send();
  };
  const wrong = async (what: string, answer: Response): Promise<CommandError> => {
    const advice = answer.status === 401 || answer.status === 403 ? `. Log in with: docker login ${at.registry}` : "";
    return new CommandError(`pintle: ${name}: ${what}: ${answer.status} ${reason(await answer.text())}${advice}`);
  };
  const path = (rest: string) => `/v2/${at.repository}/${rest}`;
  const has: Repository["has"] = async (kind, digest) => {
    const answer = await call("HEAD", path(`${kind}/${digest}`), kind === "manifests" ? { headers: { accept: MANIFESTS } } : {});
    if (answer.ok || answer.status === 404) return answer.ok;
    throw await wrong("cannot be asked what it has", answer);
  };
  return {
    name,
    has,
    async manifest(reference) {
      const answer = await call("GET", path(`manifests/${reference}`), { headers: { accept: MANIFESTS } });
      if (!answer.ok) throw await wrong(`${reference} cannot be read`, answer);
      const text = await answer.text();
      const digest = digestOf(Buffer.from(text));
      if (reference.startsWith("sha256:") && reference !== digest)
        throw new CommandError(`pintle: ${name}@${reference} came with other bytes: ${digest}`);
      return { mediaType: answer.headers.get("content-type") ?? MEDIA.manifest, digest, text };
    },
    blob: (wanted) => ({
      ...wanted,
      from: name,
      async bytes() {
        const answer = await call("GET", path(`blobs/${wanted.digest}`));
        if (!answer.ok) throw await wrong(`${wanted.digest} cannot be read`, answer);
        const bytes = new Uint8Array(await answer.arrayBuffer());
        if (digestOf(bytes) !== wanted.digest) throw new CommandError(`pintle: ${name}: ${wanted.digest} came with other bytes`);
        return bytes;
      },
    }),
    async upload(blob) {
      if (await has("blobs", blob.digest)) return false;
      const [registry, ...from] = blob.from?.split("/") ?? [];
      const mount = registry === at.registry ? `?mount=${blob.digest}&from=${encodeURIComponent(from.join("/"))}` : "";
      const begun = await call("POST", path(`blobs/uploads/${mount}`));
      if (begun.status === 201) return false;
      const place = begun.headers.get("location");
      if (begun.status !== 202 || place === null) throw await wrong("an upload cannot be begun", begun);
      const target = new URL(place, base);
      target.searchParams.set("digest", blob.digest);
      const done = await call("PUT", target.href, { body: await blob.bytes(), headers: { "content-type": "application/octet-stream" } });
      if (done.status !== 201) throw await wrong(`${blob.digest} cannot be written`, done);
      return true;
    },
    async putManifest(manifest, reference) {
      const body = await manifest.bytes();
      const answer = await call("PUT", path(`manifests/${reference}`), { body, headers: { "content-type": manifest.mediaType } });
      if (answer.status !== 201) throw await wrong(`${reference} cannot be written`, answer);
    },
  };
}

/** What a registry asks for: a login, or a token that its own server gives for one. */
async function authorize(challenge: string, at: Reference, signal: AbortSignal): Promise<string | undefined> {
  const login = loginFor(at.registry);
  const basic = login === undefined ? undefined : `Basic ${Buffer.from(`${login.username}:${login.password}`).toString("base64")}`;
  if (!/^bearer /i.test(challenge)) return basic;
  const asked = Object.fromEntries([...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value])) as Record<
    string,
    string
  >;
  if (asked["realm"] === undefined) return basic;
  const url = new URL(asked["realm"]);
  if (asked["service"] !== undefined) url.searchParams.set("service", asked["service"]);
  url.searchParams.set("scope", asked["scope"] ?? `repository:${at.repository}:pull,push`);
  const answer = await fetch(url, { signal, headers: basic === undefined ? {} : { authorization: basic } });
  if (!answer.ok)
    throw new CommandError(`pintle: ${at.registry} gives no token: ${answer.status}. Log in with: docker login ${at.registry}`);
  const { token, access_token } = (await answer.json()) as { readonly token?: string; readonly access_token?: string };
  return `Bearer ${token ?? access_token}`;
}

function reason(text: string): string {
  try {
    const { errors } = JSON.parse(text) as { readonly errors: readonly { readonly code: string; readonly message: string }[] };
    return errors.map(({ code, message }) => message || code).join(", ");
  } catch {
    return text.slice(0, 200).trim();
  }
}

const isUnknown = ({ cause }: { readonly cause?: unknown }) => (cause as NodeJS.ErrnoException | undefined)?.code === "ENOTFOUND";
