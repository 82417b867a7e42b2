import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BundleFiles } from "../bundle/index.ts";
import { openRepository, parseImageReference, type RegistryLogin, resolveImage } from "../image/index.ts";
import { PREDICATE_TYPES, verifyImage } from "../signing/index.ts";
import { readBundleImage, readCatalogMetas, unpackCatalogImage } from "../source/index.ts";
import { describeError, failure, TerminalFailure } from "./api/failures.ts";
import type { ImageSource } from "./api/sources.ts";

/** Options of `createRegistryImageSource`. */
export interface RegistryImageSourceOptions {
  /** Returns whether a registry is reached over plain HTTP. Default: never. */
  readonly insecure?: ((registry: string) => boolean) | undefined;
  /** Finds the login for a registry. Default: what `docker login` stored. */
  readonly findLogin?: ((registry: string) => RegistryLogin | undefined) | undefined;
  /** Verifies a bundle of Sigstore that an identity has signed; rejects if it did not. Default: identities are not accepted. */
  readonly verifyIdentity?:
    | ((bundle: unknown, identity: { readonly issuer: string; readonly subject: string }) => Promise<unknown>)
    | undefined;
  /** Reads bundles from folders of this machine. Default: policies cannot name folders. */
  readonly readFolder?: ImageSource["readFolder"];
  /** The time, in milliseconds since the epoch. Default: that of the system. */
  readonly now?: (() => number) | undefined;
}

/** The number of bundles that are kept in memory, because extensions are reconciled repeatedly. */
const KEPT_BUNDLES = 16;

/**
 * Reads images from registries. A bundle is not downloaded again while its digest is the same.
 *
 * @example
 * ```ts
 * import { createRegistryImageSource } from "@pintle/lifecycle/manager";
 *
 * export const images = createRegistryImageSource({ insecure: (registry) => registry.startsWith("127.0.0.1:") });
 * ```
 */
export function createRegistryImageSource(options: RegistryImageSourceOptions = {}): ImageSource {
  const { insecure = () => false, findLogin, now = Date.now, verifyIdentity, readFolder } = options;
  const bundles = new Map<string, BundleFiles>();
  const open = async (text: string, signal: AbortSignal) => {
    const reference = parse(text);
    const login = findLogin === undefined ? {} : { findLogin };
    const images = openRepository(reference, { insecure: insecure(reference.registry), signal, ...login });
    return { reference, images, image: await resolveImage(images, reference.reference) };
  };
  return {
    async pullCatalog(text, signal) {
      const { reference, image } = await open(text, signal);
      const scratch = await mkdtemp(join(tmpdir(), "pintle-catalog-"));
      const dispose = () => rm(scratch, { recursive: true, force: true });
      const folder = join(scratch, "catalog");
      try {
        await unpackCatalogImage(image, folder);
      } catch (error) {
        await dispose();
        // An image with this digest will never have the label.
        const isDigest = reference.reference.startsWith("sha256:");
        throw isDigest && describeError(error).includes("missing the required label") ? new TerminalFailure(describeError(error)) : error;
      }
      return {
        canonicalReference: `${reference.registry}/${reference.repository}@${image.digest}`,
        unpackedAt: now(),
        *readMetas() {
          for (const { located } of readCatalogMetas(folder)) yield located.meta;
        },
        [Symbol.asyncDispose]: dispose,
      };
    },
    async pullBundle(text, signal) {
      const { reference, image } = await open(text, signal);
      const key = `${reference.registry}/${reference.repository}@${image.digest}`;
      const files = bundles.get(key) ?? (await readBundleImage(image));
      bundles.delete(key);
      bundles.set(key, files);
      for (const old of [...bundles.keys()].slice(0, -KEPT_BUNDLES)) bundles.delete(old);
      return files;
    },
    async verifyImage(text, { keys, identities }, signal) {
      const { reference, images, image } = await open(text, signal);
      const checkIdentity = verifyIdentity === undefined ? undefined : (bundle: unknown) => verifyAny(bundle, identities, verifyIdentity);
      const result = await verifyImage(images, image.digest, identities.length === 0 ? { keys } : { keys, verifyIdentity: checkIdentity });
      const sboms: readonly string[] = [PREDICATE_TYPES.spdx, PREDICATE_TYPES.cyclonedx];
      return {
        reference: `${reference.registry}/${reference.repository}@${image.digest}`,
        isSigned: result.signatures.length > 0,
        hasSbom: result.attestations.some(({ predicateType }) => sboms.includes(predicateType)),
        reasons: result.rejected.map(({ artifact, reason }) => `${artifact} ${reason}`),
      };
    },
    ...(readFolder === undefined ? {} : { readFolder }),
  };
}

/** One of the identities is enough. */
async function verifyAny(
  bundle: unknown,
  identities: readonly { readonly issuer: string; readonly subject: string }[],
  verify: NonNullable<RegistryImageSourceOptions["verifyIdentity"]>,
): Promise<void> {
  const outcomes = await Promise.allSettled(identities.map((identity) => verify(bundle, identity)));
  if (outcomes.some(({ status }) => status === "fulfilled")) return;
  throw failure(outcomes.map((outcome) => (outcome.status === "rejected" ? describeError(outcome.reason) : "")).join("; "));
}

function parse(text: string) {
  try {
    return parseImageReference(text);
  } catch (error) {
    throw new TerminalFailure(`error parsing image reference ${JSON.stringify(text)}: ${describeError(error)}`);
  }
}
