import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { writePrivateFile } from "pintle/internal/private-file";
import { type Command, CommandError, OUTPUT_DESCRIPTION, OUTPUT_OPTION, outputFormatter, withProgress } from "../../command/index.ts";
import { openRepository, parseImageReference } from "../../image/index.ts";
import { loadSigstore, readKeyFile, readKeyPassword } from "../../supply-chain/index.ts";

export const sign: Command = {
  name: "sign",
  summary: "Sign an image in a registry as cosign does, or create a key pair.",
  usage: "IMAGE [--key KEY | --keyless] [--attest TYPE=FILE] [--insecure-registry] [--output json|yaml] | --create-key [NAME]",
  options: {
    key: { type: "string" },
    keyless: { type: "boolean" },
    attest: { type: "string", multiple: true },
    "create-key": { type: "boolean" },
    "insecure-registry": { type: "boolean" },
    ...OUTPUT_OPTION,
  },
  optionDescriptions: {
    key: "private key: a file, or env://VARIABLE; its password is read from COSIGN_PASSWORD (default: cosign.key)",
    keyless: "sign with the identity of this CI run or user instead of a key; needs the package sigstore and a network",
    attest: "also sign the JSON in FILE as a claim about the image; TYPE is spdx, cyclonedx, provenance or a URI",
    "create-key": "write NAME.key, encrypted with COSIGN_PASSWORD, and NAME.pub (default: cosign)",
    "insecure-registry": "use plain HTTP for the registry of IMAGE",
    ...OUTPUT_DESCRIPTION,
  },
  examples: [
    "pintle sign --create-key",
    "pintle sign ghcr.io/me/shop:1.0.0",
    "pintle sign ghcr.io/me/shop@sha256:0123... --key env://COSIGN_PRIVATE_KEY --attest spdx=sbom.json",
  ],
  maxPositionals: 1,
  async run(args, io) {
    const { values, positionals } = args;
    const output = outputFormatter(args);
    const [name] = positionals;
    const { attachBundle, createStatement, PREDICATE_TYPES, createKeyPair, readSigningKey, signImage } = await import(
      "@pintle/lifecycle/internal/signing"
    );
    if (values["create-key"] === true) {
      const password = readKeyPassword();
      if (password === undefined) throw new CommandError("PINTLE8060", "set COSIGN_PASSWORD to the password that encrypts the key", 2);
      const files = [`${name ?? "cosign"}.key`, `${name ?? "cosign"}.pub`];
      const existing = files.find((file) => existsSync(path.join(io.cwd, file)));
      if (existing !== undefined) throw new CommandError("PINTLE8060", `${existing} exists: it is not replaced`);
      const pair = createKeyPair(password);
      writePrivateFile(path.join(io.cwd, files[0]!), pair.privateKey);
      writePrivateFile(path.join(io.cwd, files[1]!), pair.publicKey);
      return io.out(output?.({ privateKey: files[0], publicKey: files[1] }) ?? `created  ${files[0]}\ncreated  ${files[1]}\n`);
    }
    if (name === undefined) throw new CommandError("PINTLE7070", "which image? Example: pintle sign ghcr.io/me/shop:1.0.0", 2);
    const sigstore = values["keyless"] === true ? await loadSigstore(io.cwd) : undefined;
    const key =
      sigstore === undefined ? readSigningKey(readKeyFile(String(values["key"] ?? "cosign.key"), io.cwd), readKeyPassword()) : undefined;
    const claims = (values["attest"] as unknown as readonly string[] | undefined) ?? [];
    const attestations = claims.map((claim) => {
      const equals = claim.indexOf("=");
      const [type, file] = [claim.slice(0, Math.max(equals, 0)), claim.slice(equals + 1)];
      const predicateType = Object.hasOwn(PREDICATE_TYPES, type) ? PREDICATE_TYPES[type as keyof typeof PREDICATE_TYPES] : type;
      if (!URL.canParse(predicateType) || predicateType === PREDICATE_TYPES.signature) {
        throw new CommandError("PINTLE8060", `--attest ${claim}: must be TYPE=FILE, where TYPE is spdx, cyclonedx, provenance or a URI`, 2);
      }
      return { predicateType, predicate: readJson(path.resolve(io.cwd, file)) };
    });
    const reference = parseImageReference(name);
    const repository = openRepository(reference, { insecure: values["insecure-registry"] === true, signal: io.signal });
    const { mediaType, digest, text } = await withProgress(io, `reading ${name}`, repository.manifest(reference.reference));
    const subject = { name: repository.name, mediaType, digest, size: Buffer.byteLength(text) };
    const now = new Date();
    const publish = async () => {
      if (key !== undefined) return signImage(repository, subject, { key, attestations, now });
      for (const claim of [{ predicateType: PREDICATE_TYPES.signature, predicate: undefined }, ...attestations]) {
        const statement = createStatement(subject, claim.predicateType, claim.predicate);
        const bundle = await sigstore!.attest(Buffer.from(JSON.stringify(statement)), "application/vnd.in-toto+json");
        await attachBundle(repository, subject, { bundle, predicateType: claim.predicateType, now });
      }
    };
    await withProgress(io, `signing ${repository.name}@${digest}`, publish());
    io.out(
      output?.({ image: `${repository.name}@${digest}`, attestations: attestations.map(({ predicateType }) => predicateType) }) ??
        `${repository.name}@${digest}\n  signed${attestations.map(({ predicateType }) => `, ${predicateType}`).join("")}\n`,
    );
  },
};

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new CommandError("PINTLE8060", `--attest: ${file} is not JSON: ${(error as Error).message}`, 2);
  }
}
