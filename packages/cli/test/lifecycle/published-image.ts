import { openRepository, parseImageManifest, parseImageReference } from "@pintle/lifecycle/internal/image";

/** The repository of an image that a test has pushed to a registry of this machine. */
export function createRepository(image: string) {
  const reference = parseImageReference(image);
  const repository = openRepository(reference, { insecure: true, signal: AbortSignal.timeout(30_000) });
  return {
    /** The digest of the manifest, and the configuration of the image. */
    async readConfig(): Promise<{ readonly digest: string; readonly config: object }> {
      const { digest, text } = await repository.manifest(reference.reference);
      const { config } = parseImageManifest(text, image);
      const parsed = JSON.parse(Buffer.from(await repository.blob(config).bytes()).toString()) as { readonly config: object };
      return { digest, config: parsed.config };
    },
  };
}
