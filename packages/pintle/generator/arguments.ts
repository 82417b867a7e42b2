import { parseArgs } from "node:util";

/** What the generator is asked to do. */
export type Task =
  | { readonly task: "help" }
  | { readonly task: "built-in"; readonly from: Source; readonly out: string | undefined; readonly modules: string | undefined }
  | { readonly task: "custom"; readonly from: CustomSource; readonly out: string };

/** A folder of saved answers, or a server to ask. */
export type Source = { readonly folder: string } | Server;
export interface Server {
  readonly server: string | undefined;
  readonly kubeconfig: string | undefined;
}
/** A file of CRDs ("-": standard input), or the name of one in a cluster. */
export type CustomSource = { readonly file: string } | { readonly name: string; readonly at: Server };

export const HELP = `Makes typed kinds from what an API server publishes.

Built-in kinds (all generally available group-versions):
  npm run kinds -- --openapi DIR                       from saved answers of a server, see below
  npm run kinds -- --kubeconfig FILE [--server URL]    from a running cluster
      --out DIR          write the kinds there, importing from "pintle/kinds". Without it, this repository's own
                         kinds and the tables of the embedded cluster are replaced
      --go-modules DIR   also renew the embedded cluster's protobuf table from the Kubernetes sources in this Go
                         module cache (only without --out)

Kinds of a CustomResourceDefinition, one file per served version:
  npm run kinds -- --crd FILE --out DIR                from YAML or JSON; "-" reads standard input
  npm run kinds -- --crd-name NAME --kubeconfig FILE [--server URL] --out DIR

DIR of --openapi holds, under any names ending in .json, the answers of /openapi/v3/<group-version>, of
/api/v1 and /apis/<group>/<version>, of /apis, and of /apis/apiregistration.k8s.io/v1/apiservices.
`;

/** Reads the command line; what makes no sense is refused with a message that says what does. */
export function parseArguments(argv: readonly string[]): Task {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      openapi: { type: "string" },
      server: { type: "string" },
      kubeconfig: { type: "string" },
      crd: { type: "string" },
      "crd-name": { type: "string" },
      "go-modules": { type: "string" },
      out: { type: "string" },
      help: { type: "boolean" },
    },
  });
  if (values.help === true || argv.length === 0) return { task: "help" };
  const { openapi, server, kubeconfig, crd, out, "crd-name": crdName, "go-modules": modules } = values;
  const online = server !== undefined || kubeconfig !== undefined;
  if (crd !== undefined || crdName !== undefined) {
    if (out === undefined) throw new Error("Say where to write the kinds: --out DIR");
    if (openapi !== undefined || modules !== undefined)
      throw new Error("--openapi and --go-modules are for built-in kinds: leave them out with a CRD");
    if (crd !== undefined && crdName !== undefined) throw new Error("Give either --crd or --crd-name");
    if (crd !== undefined) return { task: "custom", from: { file: crd }, out };
    return { task: "custom", from: { name: crdName!, at: { server, kubeconfig } }, out };
  }
  if (openapi !== undefined && online) throw new Error("Give either --openapi or a cluster (--kubeconfig, --server)");
  if (openapi === undefined && !online)
    throw new Error("Say where the facts come from: --openapi, --kubeconfig, --server, --crd or --crd-name");
  if (modules !== undefined && out !== undefined) throw new Error("--go-modules renews this repository's own table: leave out --out");
  const from = openapi === undefined ? { server, kubeconfig } : { folder: openapi };
  return { task: "built-in", from, out, modules };
}
