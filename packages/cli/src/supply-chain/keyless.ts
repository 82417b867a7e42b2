import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { CommandError } from "../command/index.ts";

/** What is used of the package `sigstore`. */
interface Sigstore {
  attest(payload: Buffer, payloadType: string): Promise<{ readonly mediaType: string }>;
  verify(
    bundle: unknown,
    options: { readonly certificateIssuer?: string; readonly certificateIdentityURI?: string; readonly certificateIdentityEmail?: string },
  ): Promise<unknown>;
}

/**
 * Loads the package `sigstore` of the project, which signs with an identity instead of a key: it asks the certificate authority and the transparency log
 * of Sigstore over the network. Few projects need it, and it has many dependencies, so it is not one of ours.
 */
export async function loadSigstore(cwd: string): Promise<Sigstore> {
  let file: string;
  try {
    file = createRequire(path.join(cwd, "package.json")).resolve("sigstore");
  } catch {
    throw new CommandError(
      "PINTLE8062",
      "signatures without a key need the package sigstore, which is not installed here: npm install --save-dev sigstore, or sign with --key",
    );
  }
  const module = (await import(pathToFileURL(file).href)) as Sigstore & { readonly default?: Sigstore };
  return module.default ?? module;
}
