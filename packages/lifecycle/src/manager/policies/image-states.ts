import type { JsonObject } from "pintle/internal/json";
import { listWorkloadImages } from "../../policy/index.ts";
import { readPublicKey } from "../../signing/index.ts";
import type { ManagerContext } from "../api/context.ts";
import { describeError } from "../api/failures.ts";
import type { ExtensionPolicy, PlannedImage } from "../api/policy-types.ts";

/** Lists the images of a revision, its bundle first, with the state of their signatures according to the `trust` of the policy. */
export async function readImageStates(
  { images }: Pick<ManagerContext, "images">,
  policy: ExtensionPolicy | undefined,
  bundle: string,
  objects: readonly JsonObject[],
  signal: AbortSignal,
): Promise<PlannedImage[]> {
  const trust = policy?.spec.trust;
  const { verifyImage } = images;
  return Promise.all(
    [bundle, ...listWorkloadImages(objects)].map(async (image): Promise<PlannedImage> => {
      if (trust === undefined || verifyImage === undefined || image.startsWith("folder:")) return { image, signature: "Unchecked" };
      try {
        const signers = { keys: (trust.keys ?? []).map(readPublicKey), identities: trust.identities ?? [] };
        const { isSigned, reasons } = await verifyImage(image, signers, signal);
        if (isSigned) return { image, signature: "Signed" };
        return { image, signature: "Unsigned", ...(reasons.length === 0 ? {} : { message: reasons.join("; ") }) };
      } catch (error) {
        signal.throwIfAborted();
        return { image, signature: "Unchecked", message: describeError(error) };
      }
    }),
  );
}
