import { readPublicKey } from "../../signing/index.ts";
import type { ManagerContext } from "../api/context.ts";
import { describeError } from "../api/failures.ts";
import type { ExtensionPolicy } from "../api/policy-types.ts";
import { Hold } from "./hold.ts";

/** The interval at which an untrusted image is verified again: signatures may be pushed after the image. */
const RETRY_MS = 60_000;

/**
 * Verifies the image of a bundle as the policy requires. Returns its reference by digest, so that the verified image is the one that is pulled. Throws
 * `Hold` otherwise.
 */
export async function verifyBundleImage(
  { images }: Pick<ManagerContext, "images">,
  { metadata, spec }: ExtensionPolicy,
  reference: string,
  signal: AbortSignal,
): Promise<string> {
  const { trust } = spec;
  if (trust === undefined) return reference;
  const untrusted = (why: string) =>
    new Hold("Untrusted", `bundle ${reference} is not trusted by ExtensionPolicy ${metadata.name}: ${why}`, RETRY_MS);
  if (images.verifyImage === undefined) throw untrusted("this source of images cannot verify signatures");
  let keys: ReturnType<typeof readPublicKey>[];
  try {
    keys = (trust.keys ?? []).map(readPublicKey);
  } catch (error) {
    throw untrusted(describeError(error));
  }
  const verified = await images.verifyImage(reference, { keys, identities: trust.identities ?? [] }, signal);
  if (!verified.isSigned) throw untrusted(verified.reasons.length === 0 ? "it has no signature" : verified.reasons.join("; "));
  if (trust.sbom === "Require" && !verified.hasSbom) throw untrusted("it has no signed bill of materials");
  return verified.reference;
}
