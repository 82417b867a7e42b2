import path from "node:path";
import type { ImageVerification } from "@pintle/lifecycle";
import { type Command, CommandError, OUTPUT_DESCRIPTION, OUTPUT_OPTION, outputFormatter, withProgress } from "../../command/index.ts";
import { loadSigstore, readKeyFile } from "../../supply-chain/index.ts";

/** The values of `--require`, each with the predicate types of which one must be attested. */
const REQUIREMENTS = { sbom: ["spdx", "cyclonedx"], spdx: ["spdx"], cyclonedx: ["cyclonedx"], provenance: ["provenance"] } as const;

export const verify: Command = {
  name: "verify",
  summary: "Verify the signatures and attestations of an image.",
  usage:
    "IMAGE [--key KEY | --certificate-identity URI --certificate-oidc-issuer URL] [--require sbom,provenance] [--builder URI] [--source URI] [--insecure-registry] [--output json|yaml]",
  options: {
    key: { type: "string", multiple: true },
    "certificate-identity": { type: "string" },
    "certificate-oidc-issuer": { type: "string" },
    require: { type: "string" },
    builder: { type: "string" },
    source: { type: "string" },
    "insecure-registry": { type: "boolean" },
    ...OUTPUT_OPTION,
  },
  optionDescriptions: {
    key: "public key: a file, or env://VARIABLE; of several keys one is enough (default: cosign.pub)",
    "certificate-identity":
      "identity of a signature without a key, such as the URL of a workflow; needs the package sigstore and a network",
    "certificate-oidc-issuer": "issuer of that identity, such as https://token.actions.githubusercontent.com",
    require: "signed claims that the image must have: sbom, spdx, cyclonedx, provenance",
    builder: "the builder that the provenance must name",
    source: "the repository that the provenance must name, without a commit",
    "insecure-registry": "use plain HTTP for the registry of IMAGE",
    ...OUTPUT_DESCRIPTION,
  },
  examples: [
    "pintle verify ghcr.io/me/shop:1.0.0 --key cosign.pub",
    "pintle verify ghcr.io/me/shop:1.0.0 --require sbom,provenance --source git+https://github.com/me/shop.git",
    "pintle verify oci:dist/mirror --key cosign.pub -o json",
  ],
  maxPositionals: 1,
  async run(args, io) {
    const { values, positionals } = args;
    const output = outputFormatter(args);
    const [name] = positionals;
    if (name === undefined) throw new CommandError("PINTLE7070", "which image? Example: pintle verify ghcr.io/me/shop:1.0.0", 2);
    const { openImage, readPublicKey, verifyImage } = await import("@pintle/lifecycle");
    const identity = { uri: textOf(values["certificate-identity"]), issuer: textOf(values["certificate-oidc-issuer"]) };
    if ((identity.uri === undefined) !== (identity.issuer === undefined)) {
      throw new CommandError("PINTLE8061", "--certificate-identity and --certificate-oidc-issuer belong together", 2);
    }
    const sigstore = identity.uri === undefined ? undefined : await loadSigstore(io.cwd);
    const verifyIdentity =
      sigstore &&
      ((bundle: unknown) => sigstore.verify(bundle, { ...describeIdentity(identity.uri!), certificateIssuer: identity.issuer! }));
    const files = (values["key"] as unknown as readonly string[] | undefined) ?? (sigstore === undefined ? ["cosign.pub"] : []);
    const keys = files.map((file) => readPublicKey(readKeyFile(file, io.cwd)));
    const required = String(values["require"] ?? "")
      .split(",")
      .filter(Boolean);
    const unknown = required.find((each) => !Object.hasOwn(REQUIREMENTS, each));
    if (unknown !== undefined) {
      throw new CommandError("PINTLE8061", `--require ${unknown}: must be one of ${Object.keys(REQUIREMENTS).join(", ")}`, 2);
    }
    const insecure = values["insecure-registry"] === true;
    const { images, reference } = await openImage(name, { cwd: path.resolve(io.cwd), signal: io.signal, insecure: () => insecure });
    const { digest } = await withProgress(io, `reading ${name}`, images.manifest(reference));
    const result = await withProgress(io, `verifying ${digest}`, verifyImage(images, digest, { keys, verifyIdentity }));
    const problems = await findPolicyProblems(result, { required, builder: textOf(values["builder"]), source: textOf(values["source"]) });
    const claims = result.attestations.map(({ predicateType, format }) => ({ predicateType, format }));
    const verdict = { image: name, digest, verified: problems.length === 0, signatures: result.signatures, attestations: claims };
    if (output !== undefined) io.out(output({ ...verdict, problems, rejected: result.rejected }));
    if (problems.length > 0) {
      const rejected = result.rejected.map(({ artifact, reason }) => `\n  ${artifact} ${reason}`);
      throw new CommandError("PINTLE8061", `${name} (${digest}): ${problems.join("; ")}${rejected.join("")}`);
    }
    if (output !== undefined) return;
    const types = [...new Set(claims.map(({ predicateType }) => predicateType))];
    io.out(`${name}\n  ${digest} is signed\n${types.map((type) => `  signed claim: ${type}\n`).join("")}`);
  },
};

interface Policy {
  readonly required: readonly string[];
  readonly builder: string | undefined;
  readonly source: string | undefined;
}

/** Returns the requirements of the policy that the image does not meet. Claims count only with a valid signature. */
async function findPolicyProblems(result: ImageVerification, { required, builder, source }: Policy): Promise<readonly string[]> {
  const { PREDICATE_TYPES } = await import("@pintle/lifecycle/internal/signing");
  const { signatures, attestations } = result;
  const provenances = attestations
    .filter(({ predicateType }) => predicateType === PREDICATE_TYPES.provenance)
    .map(({ predicate }) => predicate as Provenance);
  const hasClaim = (name: string) =>
    REQUIREMENTS[name as keyof typeof REQUIREMENTS].some((type) =>
      attestations.some((each) => each.predicateType === PREDICATE_TYPES[type]),
    );
  const missing = required.filter((name) => !hasClaim(name));
  const builders = provenances.map(({ runDetails }) => String(runDetails?.builder?.id));
  const sources = provenances.map(({ buildDefinition }) => String(buildDefinition?.externalParameters?.source));
  return [
    ...(signatures.length === 0 ? ["no signature by the key or identity"] : []),
    ...missing.map((name) => `no signed ${name}`),
    ...(builder === undefined || builders.includes(builder)
      ? []
      : [`no provenance of builder ${builder}, but of ${builders.join(", ") || "none"}`]),
    ...(source === undefined || sources.includes(source)
      ? []
      : [`no provenance of source ${source}, but of ${sources.join(", ") || "none"}`]),
  ];
}

interface Provenance {
  readonly buildDefinition?: { readonly externalParameters?: { readonly source?: unknown } };
  readonly runDetails?: { readonly builder?: { readonly id?: unknown } };
}

/** The package takes identities for regular expressions, which would accept more than this identity. */
function describeIdentity(identity: string): { readonly certificateIdentityURI: string } | { readonly certificateIdentityEmail: string } {
  const exact = `^${identity.replaceAll(/[.*+?^${}()|[\]\\/-]/g, "\\$&")}$`;
  return identity.includes("://") ? { certificateIdentityURI: exact } : { certificateIdentityEmail: exact };
}

function textOf(value: string | boolean | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}
