import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { main } from "@pintle/cli";
import { validateCatalogFolder } from "@pintle/lifecycle";
import { afterAll, describe, expect, test } from "vitest";
import { findProgram } from "./build-programs.ts";
import { findReference, Reference } from "./reference.ts";

const file = findReference();
const EXAMPLES = join(import.meta.dirname, "..", "..", "examples");
/** What `operator-sdk bundle validate --select-optional suite=operatorframework` runs. */
const SUITE = ["operatorhubv2", "capabilities", "categories", "alpha-deprecated-apis", "good-practices"];

const SELECTION = ["--select-optional", "suite=operatorframework", "--output", "json-alpha1"];
const WITHOUT_CRDS = "pod-policy";
const operatorSdk = findProgram("operator-sdk");

describe.runIf(file !== undefined)("bundles of the examples", () => {
  const reference = new Reference(file ?? "");
  // Inside of this repository, so that the packages of the examples resolve.
  const scratch = mkdtempSync(join(import.meta.dirname, "..", "..", "node_modules", ".pintle-bundles-"));
  afterAll(async () => {
    await reference.stop();
    rmSync(scratch, { recursive: true, force: true });
  });

  /** Renders the bundle with the code of opm, adds a package and a channel, and has opm and Pintle validate the catalog. */
  const checkCatalog = async (name: string, bundle: string) => {
    const { error, blobs } = await reference.ask({ op: "opm-render", folder: bundle });
    expect(error).toBeUndefined();
    const { name: bundleName, package: packageName } = JSON.parse(blobs as string) as { readonly name: string; readonly package: string };
    const catalog = join(scratch, `${name}-catalog`);
    mkdirSync(catalog);
    const channel = { schema: "olm.channel", name: "candidate", package: packageName, entries: [{ name: bundleName }] };
    const packageBlob = { schema: "olm.package", name: packageName, defaultChannel: channel.name };
    writeFileSync(join(catalog, "catalog.json"), [packageBlob, channel].map((blob) => JSON.stringify(blob)).join("\n") + String(blobs));
    expect((await reference.ask({ op: "catalog", folder: catalog })).error).toBeUndefined();
    expect(() => validateCatalogFolder(catalog)).not.toThrow();
  };

  test.each(readdirSync(EXAMPLES))(
    "%s: operator-sdk finds neither errors nor warnings, operator-controller renders it, and opm accepts its catalog",
    async (name) => {
      const project = join(scratch, name);
      cpSync(join(EXAMPLES, name), project, { recursive: true, filter: (source) => !source.includes("node_modules") });
      let errors = "";
      const io = { out: () => {}, err: (text: string) => (errors += text), tty: false, cwd: project, signal: AbortSignal.timeout(60_000) };
      expect({ code: await main(["bundle"], io), errors }).toMatchObject({ code: 0 });
      const folder = join(project, "bundle");
      expect(await reference.ask({ op: "bundle", folder, validators: SUITE })).toEqual({ errors: [], warnings: [] });
      const rendered = await reference.ask({ op: "render", folder, namespace: "here", certificates: "cert-manager" });
      expect(rendered.error).toBeUndefined();
      await checkCatalog(name, folder);
      if (operatorSdk === undefined) return;
      const verdict = JSON.parse(
        execFileSync(operatorSdk, ["validate", folder, ...SELECTION], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }),
      );
      // operator-sdk takes every rule for Events for the use of a removed version, unless a CRD lists the kind with its version.
      const isAvoidable = ({ message }: { readonly message: string }) =>
        !(name === WITHOUT_CRDS && message.includes("Migrate the API(s) for events"));
      expect({ ...verdict, outputs: (verdict.outputs ?? []).filter(isAvoidable) }).toEqual({ passed: true, outputs: [] });
    },
  );
});
